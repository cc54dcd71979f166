/** How many builds stay on the target: the one that is served, and earlier ones to go back to. */
const buildsKept = 3;

/** The name of the link on the target that the server follows. */
const linkName = 'dist';

/**
 * The script that installs a build on the target. It unpacks stdin into builds/<id>, switches the link by a rename, and
 * removes all but the last builds. It runs in any POSIX shell with tar and the mv of GNU or busybox.
 *
 * The link always leads to a complete build, the old or the new one. An interrupted transfer changes nothing. Web servers
 * that run as another user can read the build, whoever made it.
 */
export function remoteScript({ folder, id, files }: { folder: string; id: string; files: number }): string {
  return `set -eu
umask 022
mkdir -p ${quoted(`${folder}/builds`)}
cd ${quoted(folder)}
if [ -e ${linkName} ] && [ ! -L ${linkName} ]; then
  echo "${linkName} is not a symlink. Move it away, so that the server can switch builds" >&2
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
chmod -R u=rwX,go=rX "$staging"
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

/** Quotes a word for a POSIX shell. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
