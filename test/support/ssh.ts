import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { writeFiles } from './catalog.ts';

/** The private key that the imitation of ssh accepts, as someone pastes it into a secret. */
export const privateKey = 'a private key\r\nof two lines';

/** The line of known_hosts for the host that the imitation reaches. */
export const knownHost = 'runtime.example ssh-ed25519 AAAA';

/**
 * Writes an imitation of ssh into a folder of programs. It refuses what OpenSSH refuses: a key file that others can
 * read or that is not a key, and a host that is not known or not checked. It then runs the command in a local shell.
 *
 * Each call adds the path of its key to the file `keys` in that folder.
 */
export function writeSsh(tools: string): void {
  writeFiles(tools, {
    keys: '',
    ssh: String.raw`#!/bin/sh
refuse() { echo "ssh: $1" >&2; exit 255; }
key='' known='' strict='' only=''
while getopts i:o:p: option; do
  case "$option $OPTARG" in
    'i '*) key=$OPTARG ;;
    'o UserKnownHostsFile='*) known=${'$'}{OPTARG#*=} ;;
    'o StrictHostKeyChecking='*) strict=${'$'}{OPTARG#*=} ;;
    'o IdentitiesOnly='*) only=${'$'}{OPTARG#*=} ;;
    'o BatchMode=yes' | 'o ConnectTimeout='* | 'o ServerAliveInterval='* | 'p '*) ;;
    *) refuse "unknown option -$option $OPTARG" ;;
  esac
done
shift $((OPTIND - 1))
[ $# = 2 ] || refuse 'give a host and one command'
echo "$key" >> '${tools}/keys'
case $(ls -l "$key") in -rw-------*) ;; *) refuse "Permissions for '$key' are too open." ;; esac
case $(ls -l "$known") in -rw-------*) ;; *) refuse "others can read $known" ;; esac
[ "$(od -An -c "$key")" = "$(printf 'a private key\nof two lines\n' | od -An -c)" ] || refuse 'error in libcrypto'
[ "$strict" = yes ] || refuse 'the key of the host is not checked'
[ "$only" = yes ] || refuse 'keys of an agent are offered too'
grep -qxF "${'$'}{1#*@} ssh-ed25519 AAAA" "$known" || refuse 'Host key verification failed.'
exec sh -c "$2"
`,
  });
  chmodSync(join(tools, 'ssh'), 0o755);
}
