import { createHash, createHmac } from 'node:crypto';
import type { WebhookSetting } from '../../contracts/config.ts';
import type { Address, NotifierInput, Sign } from './port.ts';

/** The addresses that can be used; the others are told of and left out: a receiver that checks would refuse them. */
export function addressesOf(
  webhooks: readonly WebhookSetting[],
  { env, warn }: Pick<NotifierInput, 'env' | 'warn'>,
): readonly (Address & { readonly events: ReadonlySet<string> })[] {
  return webhooks.flatMap(({ url, secretEnv, events }) => {
    const shown = shownAddress(url);
    const sign = secretEnv === null ? null : signerOf(env[secretEnv]);
    if (typeof sign === 'string') {
      warn(`the webhook ${shown} is not used: its secret, the variable ${secretEnv}, ${sign}`);
      return [];
    }
    return [{ url, shown, key: keyOf(url), sign, events: new Set(events) }];
  });
}

/** Host and port alone: user names, queries and, with many services, the path are secrets. */
function shownAddress(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname === '/' ? '' : '/…'}`;
}

function keyOf(url: string): string {
  return createHash('sha256').update(url).digest('hex').slice(0, 16);
}

/** A secret in the form of the Standard Webhooks: base64 behind this. Any other text is the key as it is. */
const BRANDED = 'whsec_';

/** What signs with a secret, as the Standard Webhooks ask for; or why it cannot be used. */
function signerOf(secret: string | undefined): Sign | string {
  if (!secret) return 'is not set';
  const branded = secret.startsWith(BRANDED);
  const code = secret.slice(BRANDED.length);
  if (branded && !/^[A-Za-z0-9+/]+={0,2}$/.test(code)) return `starts with ${BRANDED} and is no base64 behind it`;
  const key = branded ? Buffer.from(code, 'base64') : Buffer.from(secret);
  // Their own library ships no text of its licence, and it is no more than this.
  return (id, seconds, body) => `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`;
}
