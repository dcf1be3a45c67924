import { useState } from 'preact/hooks';
import { said } from '../text.ts';
import { plainText } from '../transcript/plain.ts';
import type { DiffLine, FilePatch } from './parse-patch.ts';

export interface FileDiffProps {
  readonly patch: FilePatch;
  /** null where lines do not count: of binary files. */
  readonly counts: { readonly added: number | null; readonly deleted: number | null };
  readonly open: boolean;
}

/** Lines that are drawn until somebody asks for more, and then so many more each time. */
const STEP = 800;
/** A single line may be megabytes. */
const LONGEST = 2000;

const SIGN = { added: '+', deleted: '−', same: '', hunk: '', note: '' } as const;

/** One file of a diff: a head that folds it, and its lines with their numbers. */
export function FileDiff({ patch, counts, open }: FileDiffProps) {
  const [isOpen, setOpen] = useState(open);
  const [shown, setShown] = useState(STEP);
  const path = said(patch.path);
  const left = patch.lines.length - shown;
  return (
    <details class="diff-file" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <bdi class="path">{path}</bdi>
        <span class="counts">
          {counts.added === null ? (
            <span class="dim">binary</span>
          ) : (
            <>
              <span class="added">+{counts.added}</span> <span class="deleted">−{counts.deleted ?? 0}</span>
            </>
          )}
        </span>
      </summary>
      {isOpen && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <section class="diff-lines" aria-label={`Changes in ${path}`} tabIndex={0}>
          <table>
            <thead class="visually-hidden">
              <tr>
                <th scope="col">Old line</th>
                <th scope="col">New line</th>
                <th scope="col">Change</th>
                <th scope="col">Text</th>
              </tr>
            </thead>
            <tbody>
              {patch.lines.slice(0, shown).map((line, i) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: lines of a diff never move
                <Line key={i} line={line} />
              ))}
            </tbody>
          </table>
        </section>
      )}
      {isOpen && left > 0 && (
        <button type="button" class="button small more" onClick={() => setShown(shown + STEP)}>
          Show {Math.min(STEP, left)} more of {left} lines
        </button>
      )}
    </details>
  );
}

function Line({ line }: { readonly line: DiffLine }) {
  return (
    <tr class={line.kind}>
      <td class="number">{line.old}</td>
      <td class="number">{line.new}</td>
      <td class="sign">{SIGN[line.kind]}</td>
      <td class="text">{text(line.text)}</td>
    </tr>
  );
}

/** Spaces in front of code stay; controls do not. */
function text(line: string): string {
  const plain = plainText(`|${line.slice(0, LONGEST)}`).slice(1);
  return line.length > LONGEST ? `${plain}… (${line.length} characters)` : plain;
}
