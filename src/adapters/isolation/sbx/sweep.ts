import type { SbxClient } from './client.ts';
import { MARK } from './wrap.ts';

/** The script's own patience, twice over. */
const PATIENCE_MS = 20_000;

/** $0 is how the mark begins. What ignores TERM for two seconds gets KILL; twice, for those that were just born. */
const SWEEP = `marked() { grep -lzs "^${MARK}=$1" /proc/[0-9]*/environ | tr -dc '0-9\\n'; }
for signal in TERM KILL KILL; do
  for pid in $(marked "$0"); do kill -s "$signal" "$pid" 2>/dev/null; done
  for look in 1 2 3 4 5 6 7 8 9 10; do
    [ -z "$(marked "$0")" ] && exit 0
    sleep 0.2
  done
done`;

/** Ends everything inside whose mark begins so: `sbx exec` does not pass signals on. @throws UnavailableError */
export async function endInside(client: SbxClient, sandbox: string, mark: string): Promise<void> {
  await client.script(sandbox, SWEEP, [mark], PATIENCE_MS);
}
