import { contentType } from '../content-types.ts';
import { securityHeaders } from './security-headers.ts';

/** How the files of a site are served. The server gets this as an argument, since it imports no renderer. */
export const siteRules = { contentType, securityHeaders };
