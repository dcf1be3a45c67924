import type { AgentErrorKind, ProviderLimit } from '../../../contracts/agent.ts';
import { kindOfStatus, limitOfStatus } from '../failures.ts';

/*
 * A failed turn has no code beside its message (`{"type":"turn.failed","error":{"message":…}}`), so the message is read
 * as what it is: one of the templates of the client's own error type. They are matched from their first word on, in
 * that one field, where neither the model nor a tool can write.
 */

interface Template {
  readonly starts: RegExp;
  readonly kind: AgentErrorKind;
  /** Names the limit, for templates of kind `limit`. */
  readonly limit?: string;
}

/** `unexpected status 401 Unauthorized: …`, `exceeded retry limit, last status: 429 Too Many Requests`. */
const STATUS = /^(?:unexpected status|exceeded retry limit, last status:) (\d{3})\b/;

const TEMPLATES: readonly Template[] = [
  { starts: /^You['’]ve hit your usage limit\b/, kind: 'limit', limit: 'usage_limit' },
  { starts: /^Selected model is at capacity\./, kind: 'limit', limit: 'overloaded' },
  { starts: /^Quota exceeded\. Check your plan and billing/, kind: 'auth' },
  { starts: /^Your workspace is out of credits\./, kind: 'auth' },
  { starts: /^You hit your spend cap\b/, kind: 'auth' },
  { starts: /^To use Codex with your ChatGPT plan, upgrade\b/, kind: 'auth' },
  { starts: /^Your (?:access token|authentication session) could not be refreshed\b/, kind: 'auth' },
  { starts: /^Missing environment variable: `/, kind: 'auth' },
  // Words of the provider, which the client hands on as they are.
  { starts: /^The (?:requested )?model [`'][^`']+[`'] does not exist\b/, kind: 'model' },
  { starts: /^The [`'][^`']+[`'] model is not supported\b/, kind: 'model' },
  { starts: /^stream disconnected before completion\b/, kind: 'network' },
  { starts: /^(?:Connection failed|Error while reading the server response):/, kind: 'network' },
  { starts: /^request timed out$/, kind: 'network' },
  { starts: /^We['’]re currently experiencing high demand\b/, kind: 'network' },
];

export interface Failure {
  readonly kind: AgentErrorKind;
  readonly limit: ProviderLimit | null;
}

/**
 * What a failed turn means to the loop. The client says when a limit ends only as a time of day in its own time zone,
 * so that no limit has a reset time.
 */
export function readFailure(message: string): Failure {
  const status = STATUS.exec(message)?.[1];
  if (status !== undefined) {
    const kind = kindOfStatus(Number(status));
    return { kind, limit: kind === 'limit' ? limitOfStatus(Number(status)) : null };
  }
  const template = TEMPLATES.find(({ starts }) => starts.test(message));
  const limit = template?.limit;
  return {
    kind: template?.kind ?? 'api',
    limit: limit === undefined ? null : { status: 'rejected', kind: limit, resetsAt: null },
  };
}
