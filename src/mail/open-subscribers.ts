import type { Disk } from '../storage/disk.ts';
import type { Database } from '../storage/postgres.ts';
import type { CallTools, SubscriberLog, SubscriberProvider, SubscriberStore } from './provider.ts';
import { withDeadline } from './provider.ts';
import { createButtondown } from './providers/buttondown.ts';
import { createListmonk } from './providers/listmonk.ts';
import { createResend } from './providers/resend.ts';
import { createWebhook } from './providers/webhook.ts';
import type { SubscriberSettings } from './settings.ts';
import { openSubscriberDatabase } from './subscribers-database.ts';
import { openSubscriberFile } from './subscribers-file.ts';

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
