import { chmod, type FileStat, list, readText, stat } from '../../../platform/index.ts';
import type { Checkpoint, Git, GuestState } from '../port.ts';
import { sh } from '../prelude.ts';
import { line, type Room, tryGit, tryScript } from '../room.ts';
import { guestPlace } from './open.ts';

/** Refs of one iteration that are kept; an agent that makes more is not doing its task. */
const MOST_KEPT = 100;
const PREFIX = 'refs/ralph/guest';

/**
 * The guest git dir is never git's own: refs are read as text, objects are packed by a git that
 * works on the real repository, and checked when they come in. There is an answer for anything an agent did: without a
 * usable HEAD it is the checkpoint's. May be repeated, even on an incomplete guest.
 */
export async function adoptGuest(
  room: Room,
  { name, run, iteration, checkpoint, live }: Parameters<Git['adoptGuest']>[0],
): Promise<GuestState | null> {
  const { dir } = guestPlace(room, name);
  if ((await stat(dir))?.kind !== 'dir') return null;
  await chmod(dir, 0o700);
  const found = await readGuestRefs(dir, checkpoint.head.length);
  const head = (found.branch === null ? found.id : found.refs.get(found.branch)) ?? checkpoint.head;
  const moved = live ? [] : movedRefs(found, checkpoint);
  const wanted = moved.slice(0, MOST_KEPT);
  const store = { dir, live: live ?? false };
  const taken = await takeTips(room, store, checkpoint, [head, ...wanted.map(([, id]) => id)]);

  const problems = [...found.problems, ...taken.problems];
  if (!live && (await look(`${dir}/lfs/objects`))?.kind === 'dir') await tryScript(room, TAKE_LARGE_FILES, [dir]);
  if (moved.length > MOST_KEPT) problems.push(`${moved.length - MOST_KEPT} more refs of the agent were not kept`);
  const kept = await keepRefs(
    room,
    `${PREFIX}/${run}/${iteration}`,
    wanted.filter(([, id]) => taken.types.has(id)),
  );
  if (kept === null) problems.push('refs that the agent made could not be kept');
  const own = taken.types.get(head) === 'commit';
  if (!own)
    problems.push(`HEAD of the agent (${head}) is not a commit that ralph can adopt; its files are not affected`);
  const lost = found.branch !== null && !found.refs.has(found.branch) && found.branch in checkpoint.refs;
  if (lost) problems.push(`${found.branch} is gone from the agent's copy of the git dir`);
  const astray = !own || lost || (found.branch === null && found.id === null);
  return {
    head: own ? head : checkpoint.head,
    branch: astray ? checkpoint.branch : bornBranch(found),
    kept: kept ?? [],
    problems,
  };
}

/** On a branch without a commit (checkout --orphan) there is nothing to report, as without a guest. */
function bornBranch({ branch, refs }: GuestRefs): string | null {
  return branch !== null && refs.has(branch) ? branch : null;
}

/** Refs that are new or moved since the checkpoint, except HEAD's own branch and ralph's refs. */
function movedRefs({ branch, refs }: GuestRefs, checkpoint: Checkpoint): (readonly [string, string])[] {
  const moved = [...refs].filter(
    ([name, id]) => name !== branch && !name.startsWith('refs/ralph/') && checkpoint.refs[name] !== id,
  );
  // One ref cannot be a parent of another, nor differ from it only in case where the file system ignores case.
  const names = new Set(moved.map(([name]) => name.toLowerCase()));
  const seen = new Set<string>();
  return moved.filter(([name]) => {
    const lower = name.toLowerCase();
    const parts = lower.split('/');
    const below = parts.some((_, at) => at > 0 && names.has(parts.slice(0, at).join('/')));
    if (below || seen.has(lower)) return false;
    seen.add(lower);
    return true;
  });
}

/** The location of an agent's objects; `live` while it may still make more. */
interface Store {
  readonly dir: string;
  readonly live: boolean;
}

interface Taken {
  /** Object → type, of tips that are in the real repository with everything reachable from them. */
  readonly types: ReadonlyMap<string, string>;
  readonly problems: readonly string[];
}

async function takeTips(room: Room, store: Store, checkpoint: Checkpoint, wanted: readonly string[]): Promise<Taken> {
  // A branch of the checkpoint is known to point to a commit, without starting a process.
  const branches = Object.entries(checkpoint.refs).filter(([name]) => name.startsWith('refs/heads/'));
  const known = new Set([checkpoint.head, ...branches.map(([, id]) => id)]);
  const types = new Map<string, string>();
  const tips = [...new Set(wanted)];
  for (const tip of tips) if (known.has(tip)) types.set(tip, 'commit');
  const fresh = tips.filter((tip) => !known.has(tip));
  if (fresh.length === 0) return { types, problems: [] };
  const all = await take(room, store, fresh);
  if (all.types !== null) return { types: new Map([...types, ...all.types]), problems: [] };

  // A broken one must not keep the others out.
  const problems: string[] = [];
  for (const tip of fresh) {
    const one = await take(room, store, [tip]);
    for (const [id, type] of one.types ?? []) types.set(id, type);
    if (one.types === null) problems.push(`${tip} of the agent's copy of the git dir cannot be adopted: ${one.said}`);
  }
  return { types, problems };
}

async function take(
  room: Room,
  { dir, live }: Store,
  tips: readonly string[],
): Promise<{ readonly types: ReadonlyMap<string, string> | null; readonly said: string }> {
  const input = Buffer.from(tips.map((tip) => `${tip}\n`).join(''));
  const result = await tryScript(room, TAKE_TIPS, [dir, live ? 'live' : ''], input);
  const said = result.stderr.trim().split('\n').at(-1) ?? '';
  if (result.exitCode !== 0) return { types: null, said };
  const lines = line(result.stdout)
    .split('\n')
    .map((entry) => entry.split(' '));
  return { types: new Map(lines.map(([id = '', type = '']) => [id, type])), said };
}

/** The names under which they are kept; null when git refused them. */
async function keepRefs(
  room: Room,
  under: string,
  refs: readonly (readonly [string, string])[],
): Promise<readonly string[] | null> {
  if (refs.length === 0) return [];
  const commands = refs.map(([name, id]) => `update ${under}/${name} ${id}\n`).join('');
  const args = ['update-ref', '-m', 'ralph: refs of a guest git dir', '--stdin'];
  const result = await tryGit(room, args, Buffer.from(commands));
  return result.exitCode === 0 ? refs.map(([name]) => `${under}/${name}`) : null;
}

/** Files in `refs/` that are read: people and agents create far fewer by hand, and git packs the rest. */
const MOST_FILES = 20_000;
const DEEPEST = 16;
/** A loose ref is one line. */
const LONGEST_REF = 1024;
const LARGEST_LIST = 64 * 1024 * 1024;

/** HEAD and refs of a guest git dir, as its files say; none of it is trusted yet. */
interface GuestRefs {
  /** Full name of the branch, null when HEAD is detached or contains what git never writes. */
  readonly branch: string | null;
  /** Of a detached HEAD. */
  readonly id: string | null;
  /** Full name → object, both well-formed. */
  readonly refs: ReadonlyMap<string, string>;
  readonly problems: readonly string[];
}

/**
 * Reads HEAD and refs without git, which would obey settings. Skips links, FIFOs, names that git would not accept, and
 * files longer than git writes.
 * @param idLength hexadecimal digits of an object id
 */
async function readGuestRefs(dir: string, idLength: number): Promise<GuestRefs> {
  const head = await readPlain(`${dir}/HEAD`, LONGEST_REF);
  const isId = (text: string) => text.length === idLength && /^[0-9a-f]+$/.test(text);
  const loose = await readLoose(dir, isId);
  const packed = parsePacked((await readPlain(`${dir}/packed-refs`, LARGEST_LIST)) ?? '', isId);
  const text = head?.trimEnd() ?? '';
  const branch = text.startsWith('ref: ') ? text.slice(5).trim() : null;
  const known = branch === null ? isId(text) : isRefName(branch);
  return {
    branch: known ? branch : null,
    id: known && branch === null ? text : null,
    refs: new Map([...packed, ...loose.refs]),
    problems: [
      ...(known ? [] : ["HEAD of the agent's copy of the git dir is missing or invalid"]),
      ...(loose.full ? [`only the first ${MOST_FILES} refs of the agent's copy of the git dir were looked at`] : []),
    ],
  };
}

/** A path that the agent made unreadable counts as missing. */
export function look(path: string): Promise<FileStat | null> {
  return stat(path).catch(() => null);
}

async function readPlain(path: string, most: number): Promise<string | null> {
  const found = await look(path);
  return found?.kind === 'file' && found.size <= most ? readText(path).catch(() => null) : null;
}

async function readLoose(
  dir: string,
  isId: (text: string) => boolean,
): Promise<{ readonly refs: ReadonlyMap<string, string>; readonly full: boolean }> {
  const refs = new Map<string, string>();
  let left = MOST_FILES;
  const visit = async (name: string, depth: number): Promise<void> => {
    if ((await look(`${dir}/${name}`))?.kind !== 'dir') return;
    const names = await list(`${dir}/${name}`).catch(() => []);
    for (const entry of names) {
      if (left <= 0) return;
      left -= 1;
      const path = `${name}/${entry}`;
      if (depth < DEEPEST) await visit(path, depth + 1);
      const text = isRefName(path) ? await readPlain(`${dir}/${path}`, LONGEST_REF) : null;
      if (text !== null && isId(text.trimEnd())) refs.set(path, text.trimEnd());
    }
  };
  await visit('refs', 1);
  return { refs, full: left <= 0 };
}

/** Lines of "<object> <name>"; "#" begins the header, "^" what a tag points to. */
function parsePacked(text: string, isId: (text: string) => boolean): Map<string, string> {
  const refs = new Map<string, string>();
  for (const entry of text.split('\n')) {
    const [id = '', name = ''] = entry.split(' ');
    if (isId(id) && isRefName(name)) refs.set(name, id);
  }
  return refs;
}

/** The rules of `git check-ref-format`, and short enough for a file name with the added prefix and suffix. */
function isRefName(name: string): boolean {
  if (!name.startsWith('refs/') || name.length > 1000) return false;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what git refuses
  if (/[\u0000-\u0020\u007f~^:?*[\\\ufffd]|\.\.|@\{|\.$/.test(name)) return false;
  return name
    .split('/')
    .every((part) => part !== '' && !part.startsWith('.') && !part.endsWith('.lock') && Buffer.byteLength(part) <= 200);
}

/**
 * $1: guest git dir, $2: `live` while an agent still works with it. Its objects were made inside: only plain object
 * files and packs stay, and it borrows only from the real store. No git has opened it before, and none reads its
 * settings.
 */
export const DISTRUST_OBJECTS = sh`
G=$1
# Processes that use it must not miss what is removed below: then a copy is examined.
if [ "\${2:-}" = live ]; then
  G=$W/live
  rm -rf "$G"
  mkdir -p "$G"
  cp -RP "$1/objects" "$G/objects" 2>/dev/null || :
fi
[ -d "$G/objects" ] && [ ! -L "$G/objects" ] || { rm -rf "$G/objects"; mkdir -p "$G/objects"; }
chmod -R u+rwX "$G/objects" 2>/dev/null || :
(
  cd "$G/objects"
  find . ! -type d ! -type f -exec rm -f {} +
  find . -type f ! -path './[0-9a-f][0-9a-f]/*' ! -path './pack/pack-*.pack' ! -path './pack/pack-*.idx' -exec rm -f {} +
)
rm -rf "$G/objects/info"
mkdir "$G/objects/info"
printf '%s\n' "$O" >"$G/objects/info/alternates"

# git on the real repository that sees what was made in the guest git dir too.
borrow() {
  GIT_OBJECT_DIRECTORY=$G/objects git "$@"
}

# Objects named in file $1 → the real repository, checked one by one: ids are recomputed from the contents.
take_over() {
  count=$(wc -l <"$1")
  [ "$count" -gt 0 ] || return 0
  borrow pack-objects -q --stdout <"$1" >"$W/guest.pack"
  # As git fetch has it: a pack for every few commits would slow everything down.
  if [ "$count" -lt 100 ]; then
    git unpack-objects -q --strict --max-input-size=2147483648 <"$W/guest.pack"
  else
    git index-pack --stdin --strict --max-input-size=2147483648 <"$W/guest.pack" >/dev/null
  fi
  rm -f "$W/guest.pack"
}
`;

/**
 * $1: guest git dir; standard input: tips, one per line. Adopts everything reachable from them, and fails unless all of
 * it is there. Prints the tips with their types.
 */
const TAKE_TIPS =
  DISTRUST_OBJECTS +
  sh`
cat >"$W/tips"
# A ref of the person's may lead nowhere. A tip that does is told at the end.
borrow rev-list --objects --ignore-missing --stdin --not --all <"$W/tips" >"$W/new"
take_over "$W/new"
git rev-list --objects --ignore-missing --quiet --stdin --not --all <"$W/tips"
git cat-file --batch-check='%(objectname) %(objecttype)' <"$W/tips" >"$W/types"
if grep ' missing$' "$W/types" >&2; then exit 1; fi
cat "$W/types"
rm -rf "$W/live"
`;

/**
 * $1: guest git dir. Adopts files that git-lfs stored there and whose content matches their names. A failure here is no
 * reason to refuse the commits: they only name the files.
 */
const TAKE_LARGE_FILES = sh`
store=$1/lfs/objects
[ -d "$store" ] && [ ! -L "$1/lfs" ] && [ ! -L "$store" ] || exit 0
sum() { sha256sum 2>/dev/null || shasum -a 256; }
cd "$store"
# No line break either: what follows one would be read as another path.
find . -type f -path './[0-9a-f][0-9a-f]/[0-9a-f][0-9a-f]/*' ! -path '*[!0-9a-f./]*' >"$W/large-files"
while IFS= read -r file; do
  target=\${O%/*}/lfs/objects/\${file#./}
  [ ! -e "$target" ] || continue
  found=$(sum <"$file" | cut -d ' ' -f 1)
  [ "$found" = "\${file##*/}" ] || continue
  mkdir -p "\${target%/*}"
  mv "$file" "$target"
done <"$W/large-files"
`;
