import type { Database } from '../database/connections.ts';
import type { Disk } from '../journal/disk.ts';
import { createButtondown } from './buttondown.ts';
import type { CallTools } from './calls.ts';
import { openSubscriberDatabase } from './database.ts';
import { withDeadline } from './deadline.ts';
import { openSubscriberFile } from './file.ts';
import { createListmonk } from './listmonk.ts';
import type { SubscriberLog, SubscriberProvider, SubscriberStore } from './provider.ts';
import { createResend } from './resend.ts';
import type { SubscriberSettings } from './settings.ts';
import { createWebhook } from './webhook.ts';

/** What stores of subscribers depend on. */
export interface SubscriberTools extends CallTools {
  /** The file of the provider `file`. */
  file: string;
  /** Where the provider `file` stores subscribers instead, if it is set. */
  database?: Database | null;
  log: SubscriberLog;
  /** How long one subscription may take, in milliseconds. @default 5000 */
  timeoutMs?: number;
  /** The disk of the provider `file`. @default node:fs/promises */
  disk?: Disk;
}

/** Opens the provider in the settings. Throws OperationError if its file cannot be opened or has an owner. */
export async function openSubscribers(settings: SubscriberSettings, tools: SubscriberTools): Promise<SubscriberStore> {
  return withDeadline(await openProvider(settings, tools), tools.timeoutMs);
}

async function openProvider(settings: SubscriberSettings, tools: SubscriberTools): Promise<SubscriberProvider> {
  switch (settings.provider) {
    case 'file':
      return tools.database ? openSubscriberDatabase(tools.database) : openSubscriberFile(tools);
    case 'buttondown':
      return createButtondown(settings, tools);
    case 'resend':
      return createResend(settings, tools.log, tools);
    case 'listmonk':
      return createListmonk(settings, tools.log, tools);
    case 'webhook':
      return createWebhook(settings, tools);
  }
}
