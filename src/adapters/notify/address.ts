import { createHash, createHmac } from 'node:crypto';
import type { WebhookSetting } from '../../contracts/config.ts';
import type { Address, NotifierInput } from './port.ts';

/** The addresses that can be used; the others are told of and left out: a receiver that checks would refuse them. */
export function addressesOf(
  webhooks: readonly WebhookSetting[],
  { env, warn }: Pick<NotifierInput, 'env' | 'warn'>,
): readonly (Address & { readonly events: ReadonlySet<string> })[] {
  return webhooks.flatMap(({ url, secretEnv, events }) => {
    const shown = shownAddress(url);
    const key = secretEnv === null ? null : keyIn(env[secretEnv]);
    if (typeof key === 'string') {
      warn(`the webhook ${shown} is not used: its secret, the variable ${secretEnv}, ${key}`);
      return [];
    }
    const means = key === null ? { sign: null, seal: null } : meansOf(key);
    return [{ url, shown, key: nameOf(url), ...means, events: new Set(events) }];
  });
}

/** Host and port alone: user names, queries and, with many services, the path are secrets. */
function shownAddress(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname === '/' ? '' : '/…'}`;
}

function nameOf(url: string): string {
  return createHash('sha256').update(url).digest('hex').slice(0, 16);
}

/** A secret in the form of the Standard Webhooks: base64 behind this. Any other text is the key as it is. */
const BRANDED = 'whsec_';

/** The key in a secret; or why it cannot be used. */
function keyIn(secret: string | undefined): Buffer | string {
  if (!secret) return 'is not set';
  const branded = secret.startsWith(BRANDED);
  const code = secret.slice(BRANDED.length);
  if (branded && !/^[A-Za-z0-9+/]+={0,2}$/.test(code)) return `starts with ${BRANDED} and is no base64 behind it`;
  return branded ? Buffer.from(code, 'base64') : Buffer.from(secret);
}

/** What signs as the Standard Webhooks ask for, and what seals with a key of its own. */
function meansOf(key: Buffer): Pick<Address, 'sign' | 'seal'> {
  const hmac = (by: Buffer, text: string) => createHmac('sha256', by).update(text).digest();
  const sealKey = hmac(key, 'ralph: letters that were not delivered');
  return {
    // Their own library ships no text of its licence, and it is no more than this.
    sign: (id, seconds, body) => `v1,${hmac(key, `${id}.${seconds}.${body}`).toString('base64')}`,
    seal: (text) => hmac(sealKey, text).toString('base64'),
  };
}
