import type { IncomingMessage } from 'node:http';
import type { Desk } from '../../loop/control.ts';
import { readBody } from './body.ts';

/** Lets the agent go on. */
const ALLOW = '{}';

export interface HookResponse {
  readonly status: 200 | 413;
  /** JSON. */
  readonly body: string;
}

/**
 * One hook call. Whatever goes wrong lets the agent go on and is reported to its desk: a hook never breaks a session,
 * and what it could not enforce the loop enforces afterwards.
 */
export async function answerHook(desk: Desk, incoming: IncomingMessage): Promise<HookResponse> {
  try {
    const text = await readBody(incoming);
    if (text === null) {
      desk.hookFailed('a hook call was larger than this server accepts');
      return { status: 413, body: ALLOW };
    }
    return { status: 200, body: JSON.stringify(await desk.hook(JSON.parse(text))) };
  } catch (error) {
    desk.hookFailed(error instanceof Error ? error.message : String(error));
    return { status: 200, body: ALLOW };
  }
}
