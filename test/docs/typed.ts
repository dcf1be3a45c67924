import { parse } from 'unbash';

/** One command of a block, and what the page says that comes of it. */
export interface Typed {
  /** Line of the page, from 1. */
  readonly line: number;
  readonly command: string;
  /** Lines of output that the page shows; null where it shows none. */
  readonly shown: string | null;
  /** Exit codes that are fine; null: any, since the page shows what was printed. */
  readonly codes: readonly number[] | null;
}

/** The commands of an `sh` block; a comment that names `exit N` allows that code too. Pure. @param line of the fence */
export function commandsOf(script: string, line: number): readonly Typed[] {
  const { commands } = parse(script);
  return commands.map((statement, index) => {
    const command = script.slice(statement.pos, commands[index + 1]?.pos ?? script.length).trimEnd();
    const before = script.slice(0, statement.pos).split('\n').length;
    return { line: line + before, command, shown: null, codes: [0, ...namedCodes(command)] };
  });
}

function namedCodes(command: string): readonly number[] {
  return [...command.matchAll(/#.*/g)].flatMap(([comment]) =>
    [...comment.matchAll(/\bexit (?:code )?(\d+)/g)].map((match) => Number(match[1])),
  );
}

/** The commands of a `console` block, behind `$ `, each with the output below it. Pure. @throws for output before all */
export function dialogueOf(text: string, line: number): readonly Typed[] {
  const all: { line: number; command: string; output: string[] }[] = [];
  text
    .trimEnd()
    .split('\n')
    .forEach((one, index) => {
      const last = all.at(-1);
      if (one.startsWith('$ ')) all.push({ line: line + index + 1, command: one.slice(2), output: [] });
      else if (last === undefined) throw new Error(`line ${line + 1}: a console block begins with '$ ' and a command`);
      else if (last.output.length === 0 && last.command.endsWith('\\')) last.command += `\n${one}`;
      else last.output.push(one);
    });
  return all.map(({ line: at, command, output }) => {
    const shown = output.some((one) => one.trim() !== '') ? output.join('\n') : null;
    return { line: at, command, shown, codes: shown === null ? [0, ...namedCodes(command)] : null };
  });
}
