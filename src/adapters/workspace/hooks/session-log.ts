import type { SessionState } from '../../../rules/hooks/api.ts';
import { foldSession } from '../../../rules/hooks/session-lines.ts';
import { readHookLog } from './hook-logs.ts';

/** What is remembered of a session, from the `session.log` of a folder; a session that is not in there is new. */
export function readSession(folder: string, session: string): SessionState {
  return foldSession(readHookLog(folder, 'session.log'), session);
}
