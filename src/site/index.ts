import { apiOutputs } from './api/api.ts';
import { feedOutputs } from './feeds/feeds.ts';
import { hostOutputs } from './hosting/host-files.ts';
import { contentTypes, outputPattern } from './hosting/site-rules.ts';
import { mcpOutputs } from './install/install-source.ts';
import { pluginOutputs } from './install/plugins.ts';
import { skillOutputs } from './install/skills.ts';
import { mailOutputs } from './mail/mail.ts';
import type { Output } from './output.ts';
import { agentPage } from './pages/agent.ts';
import { listPages } from './pages/lists.ts';
import { singlePages } from './pages/single-pages.ts';
import { socialImage } from './social-image/social-image.ts';

const order = Object.keys(contentTypes);

/** All outputs, in the order of `contentTypes`. The build id depends on the order. */
export const outputs: readonly Output[] = [
  ...apiOutputs,
  ...skillOutputs,
  ...pluginOutputs,
  ...mcpOutputs,
  ...feedOutputs,
  ...mailOutputs,
  agentPage,
  ...listPages,
  ...singlePages,
  socialImage,
  ...hostOutputs,
].sort((a, b) => order.indexOf(a.path) - order.indexOf(b.path));

/** The outputs that may have a file at a path below dist/. */
export function outputsAt(path: string): Output[] {
  return patterns.filter(({ pattern }) => pattern.test(path)).map(({ output }) => output);
}

const patterns = outputs.flatMap((output) =>
  [output.path, output.also]
    .filter((path) => path !== undefined)
    .map((path) => ({ output, pattern: outputPattern(path) })),
);
