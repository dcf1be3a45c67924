import type { IsolationSettings } from '../../contracts/config.ts';
import { badValue, choiceOf, type RawFlags } from '../shared/flags.ts';

const BACKENDS = ['auto', 'sbx', 'container', 'bwrap', 'srt'] as const;

/**
 * What `--sandbox [backend]` and `--no-sandbox` say about the isolation: a backend that is asked for here is also
 * required. Undefined when neither was given.
 * @throws UsageError for a backend that there is not
 */
export function parseSandboxFlag(flags: RawFlags): Partial<IsolationSettings> | undefined {
  const { sandbox } = flags;
  if (sandbox === undefined) return undefined;
  if (sandbox === false) return { backend: 'none', required: false };
  if (sandbox === true) return { required: true };
  // `ralph run --sandbox 20`: commander takes the number of iterations for the backend.
  if (typeof sandbox === 'string' && /^\d+$/.test(sandbox)) {
    throw badValue('sandbox', sandbox, `${BACKENDS.join(', ')}; the number of iterations goes before it`);
  }
  const backend = choiceOf(flags, 'sandbox', BACKENDS);
  return backend === undefined ? undefined : { backend, required: true };
}
