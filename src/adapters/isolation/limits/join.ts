import type { GroupSetting } from './groups.ts';

/**
 * Puts itself into a group made for it, then becomes the command. Parameters: prefix and name of the group; four for
 * each setting (parent, file, value, whether it is optional); `--`; the command. Groups of the same prefix that are
 * empty by now are removed on the way; should that hit one that another start has just made, that one makes it again.
 * This runs outside, and PATH is that of the inside, where an agent may have put a mkdir of its own: not to be used.
 */
const SCRIPT = `
path=$PATH
PATH=/usr/bin:/bin:/run/current-system/sw/bin
prefix=$1 name=$2
shift 2
fail() { echo "ralph sandbox: its limits cannot be set: $1" >&2; exit 125; }
make() {
  [ -d "$1" ] && return
  for old in "\${1%/*}/$prefix"*; do [ -d "$old" ] && rmdir "$old" 2>/dev/null; done
  mkdir "$1" 2>/dev/null || [ -d "$1" ]
}
while [ "$1" != -- ]; do
  group=$1/$name file=$2 value=$3 optional=$4
  shift 4
  make "$group" || fail "$group"
  [ "$value" = self ] && value=$$
  echo "$value" 2>/dev/null >"$group/$file" || [ "$optional" = true ] || fail "$group/$file"
done
shift
PATH=$path
exec "$@"
`;

/** The beginning of a command line that runs the rest of it inside a group of that name. Pure. */
export function joinGroup(prefix: string, name: string, settings: readonly GroupSetting[]): readonly string[] {
  const parameters = settings.flatMap(({ parent, file, value, optional = false }) => [
    parent,
    file,
    value,
    String(optional),
  ]);
  return ['/bin/sh', '-c', SCRIPT, 'ralph-limits', prefix, name, ...parameters, '--'];
}
