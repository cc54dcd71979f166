/** How many builds stay at the target: the one that is served, and what one can go back to. */
export const buildsKept = 3;

/** The name of the link at the target that the runtime serves. */
export const linkName = 'dist';

/**
 * The script that takes a build up at the target, for any POSIX shell with tar and GNU's or busybox's mv: unpacks stdin
 * into builds/<id>, switches the link by a rename, and removes all but the last builds.
 *
 * At any moment the link leads to a whole build, the old one or the new one. A broken transfer changes nothing.
 */
export function remoteScript({ folder, id, files }: { folder: string; id: string; files: number }): string {
  return `set -eu
umask 022
mkdir -p ${quoted(`${folder}/builds`)}
cd ${quoted(folder)}
if [ -e ${linkName} ] && [ ! -L ${linkName} ]; then
  echo "${linkName} is not a link: move it away, so that builds can be switched" >&2
  exit 1
fi
staging=$(mktemp -d builds/.incoming-XXXXXXXX)
trap 'rm -rf "$staging" ".${linkName}-$$"' EXIT
trap 'exit 1' HUP INT TERM
tar -xf - -C "$staging"
count=$(find "$staging" -type f | wc -l)
if [ "$count" -lt ${files} ]; then
  echo "only $count of ${files} files arrived" >&2
  exit 1
fi
chmod 755 "$staging"
if [ ! -d builds/${id} ]; then mv -T "$staging" builds/${id}; fi
touch builds/${id}
ln -s builds/${id} ".${linkName}-$$"
mv -Tf ".${linkName}-$$" ${linkName}
served=$(readlink ${linkName})
find builds -maxdepth 1 -name '.incoming-*' -mmin +60 -exec rm -rf {} +
ls -1t builds | tail -n +${buildsKept + 1} | while read -r old; do
  if [ "builds/$old" != "$served" ]; then rm -rf "builds/$old"; fi
done
`;
}

/** A word for a POSIX shell. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
