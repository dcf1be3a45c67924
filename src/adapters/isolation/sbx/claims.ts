import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { writeAtomic } from '../../../platform/files/atomic-file.ts';
import { makeTempDir, readText, remove } from '../../../platform/files/files.ts';
import type { Claim } from '../port.ts';
import type { SbxClient } from './client.ts';

/** Hosts that answer wherever the network is open; at least one of them is on no list. */
const ELSEWHERE = ['example.com', 'example.org', 'example.net'];

/** $0: folder of the work tree, $1: folder outside, $2: host off the list. Every line of the answer is `name=value`. */
const CANARY = `echo "work=$(cat "$0/question" 2>/dev/null)"
echo done >"$0/answer"
mkdir -p "$1" 2>/dev/null; echo changed >"$1/written" 2>/dev/null
echo "secret=$(cat "$1/secret" 2>/dev/null)"
echo "kernel=$(cat /proc/sys/kernel/random/boot_id 2>/dev/null)"
if command -v curl >/dev/null; then
  if curl -fsS -m 10 -o /dev/null "https://$2/" 2>/dev/null; then echo reached=yes; else echo reached=no; fi
elif (exec 3<>"/dev/tcp/$2/443") 2>/dev/null; then echo reached=yes; else echo reached=no; fi`;

/**
 * Tries in the sandbox what it promises. Leaves nothing behind.
 * @param folder one in the work tree that exists
 * @param hosts what may be reached
 * @throws UnavailableError when nothing runs in it
 */
export async function tryClaims(
  client: SbxClient,
  sandbox: string,
  folder: string,
  hosts: readonly string[],
): Promise<readonly Claim[]> {
  const outside = await makeTempDir('ralph-sbx-');
  const inside = join(folder, `canary-${randomBytes(6).toString('hex')}`);
  const elsewhere = ELSEWHERE.find((host) => !hosts.some((one) => one.includes(host))) ?? '';
  const secret = randomBytes(16).toString('hex');
  try {
    await writeAtomic(`${outside}/secret`, secret, { fsync: false });
    await writeAtomic(`${inside}/question`, secret, { fsync: false });
    const { stdout } = await client.script(sandbox, CANARY, [inside, outside, elsewhere]);
    const said = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(stdout)?.[1] ?? '';
    const answered = (await readText(`${inside}/answer`)) === 'done\n';
    const written = (await readText(`${outside}/written`)) !== null;
    const kernel = await readText('/proc/sys/kernel/random/boot_id');
    const works = said('work') === secret && answered;
    return [
      claim('the work tree can be written', works, works ? 'a file went both ways' : 'no file went through'),
      claim(
        'a file outside the work tree cannot be written',
        works && !written,
        written ? 'it was written' : 'it is not there on the host',
      ),
      claim(
        'a file outside the work tree cannot be read',
        works && said('secret') === '',
        said('secret') === '' ? 'nothing was read' : 'it was read',
      ),
      claim(
        'a host off the list cannot be reached',
        said('reached') === 'no',
        said('reached') === 'yes' ? `${elsewhere} answered` : `${elsewhere} was refused`,
      ),
      claim(
        "the host's processes cannot be seen",
        said('kernel') !== '' && said('kernel') !== kernel?.trim(),
        said('kernel') === kernel?.trim() ? "its kernel is the host's" : 'its kernel is its own',
      ),
    ];
  } finally {
    await remove(inside);
    await remove(outside);
  }
}

function claim(text: string, held: boolean, detail: string): Claim {
  return { claim: text, held, detail };
}
