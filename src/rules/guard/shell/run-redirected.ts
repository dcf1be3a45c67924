import type { Redirected as RedirectedNode } from 'unbash';
import type { Frame, Runner } from './frame.ts';
import { divertOutput, expandRedirects } from './redirects.ts';
import type { Text } from './text.ts';
import { wordOf } from './text.ts';

/** `{ …; } > file`, `while …; done < file`: the redirections are emitted as a command without a name. */
export function runRedirected(node: RedirectedNode, frame: Frame, runner: Runner): Text {
  const { redirects, frame: inner } = expandRedirects(node.redirects, frame, runner);
  runner.emit({
    name: '',
    word: wordOf(''),
    args: [],
    assignments: [],
    redirects: redirects.map(({ operator, target }) => ({ operator, target })),
    input: inner.input,
    pipesTo: frame.pipesTo,
    cwd: frame.scope.cwd,
    via: frame.via,
    source: frame.source.slice(node.pos, node.end),
  });
  return divertOutput(redirects, runner.runNode(node.command, inner), frame, runner);
}
