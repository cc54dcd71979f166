import type { Disk } from '../journal/disk.ts';
import { createButtondown } from './buttondown.ts';
import type { CallTools } from './calls.ts';
import { withDeadline } from './deadline.ts';
import { openFileSignups } from './file.ts';
import { createListmonk } from './listmonk.ts';
import type { SignupLog, SignupProvider, Signups } from './provider.ts';
import { createResend } from './resend.ts';
import type { SignupSettings } from './settings.ts';
import { createWebhook } from './webhook.ts';

/** What sign-ups need from outside. */
export interface SignupTools extends CallTools {
  /** The file that the provider `file` writes. */
  file: string;
  log: SignupLog;
  /** How long one sign-up may take, in milliseconds. @default 5000 */
  timeoutMs?: number;
  /** The disk under the provider `file`. @default node:fs/promises */
  disk?: Disk;
}

/** Opens the provider that the settings name. Throws OperationError where the file cannot be opened, or has an owner. */
export async function openSignups(settings: SignupSettings, tools: SignupTools): Promise<Signups> {
  const provider = await openProvider(settings, tools);
  return withDeadline(provider, tools.timeoutMs === undefined ? {} : { timeoutMs: tools.timeoutMs });
}

async function openProvider(settings: SignupSettings, tools: SignupTools): Promise<SignupProvider> {
  switch (settings.provider) {
    case 'file':
      return openFileSignups(tools);
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
