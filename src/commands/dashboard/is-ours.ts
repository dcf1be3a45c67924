import { proofOf } from '../../surfaces/dashboard/keys.ts';
import { mintToken, sameToken } from '../../surfaces/server/tokens.ts';

const PATIENCE_MS = 2_000;

/**
 * Whether what answers on a port is a dashboard with this token: by a proof, as the token itself must not be told to
 * whatever program happens to be there.
 * @param host as it stands in an address
 */
export async function isOurs(host: string, port: number, token: string): Promise<boolean> {
  const challenge = mintToken();
  try {
    const answer = await fetch(`http://${host}:${port}/proof?challenge=${challenge}`, {
      redirect: 'error',
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    // Ours is short; another program may send without end.
    const said = answer.ok && Number(answer.headers.get('content-length')) < 1_000 ? await answer.json() : null;
    const { proof } = (said ?? {}) as { readonly proof?: unknown };
    return typeof proof === 'string' && sameToken(proof, proofOf(token, port, challenge));
  } catch {
    return false;
  }
}
