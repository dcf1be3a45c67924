import { readInside } from '../../../platform/files/files-inside.ts';

/** A hook of another loop in the settings of Claude Code. */
export interface OldHook {
  /** The settings file, relative to the project. */
  readonly file: string;
  /** 1-based, of the command. */
  readonly line: number;
  readonly event: string;
  readonly command: string;
}

const SETTINGS = ['.claude/settings.json', '.claude/settings.local.json'];
const OLD = /(?:^|[/\s"'])(?:\.agents\/ralph|scripts\/ralph|\.ralph|\.chief|\.ralph-tui)\/[^\s"']*/;
const MOST_BYTES = 1024 * 1024;

/** Finds hooks that point into the folder of another loop. Nothing is changed: the file is the person's own. */
export async function findOldHooks(base: string): Promise<readonly OldHook[]> {
  const found = await Promise.all(
    SETTINGS.map(async (file) => {
      const { bytes } = await readInside(base, file, MOST_BYTES);
      return bytes === null ? [] : hooksIn(file, bytes.toString('utf8'));
    }),
  );
  return found.flat();
}

function hooksIn(file: string, text: string): readonly OldHook[] {
  const hooks = record(record(parsed(text))['hooks']);
  return Object.entries(hooks).flatMap(([event, value]) =>
    commandsIn(value)
      .filter((command) => OLD.test(command))
      .map((command) => ({ file, line: lineOf(text, command), event, command })),
  );
}

/** Every command below an event: some settings have a text there, most have lists of lists. */
function commandsIn(value: unknown, depth = 0): readonly string[] {
  if (typeof value === 'string') return depth < 2 ? [value] : [];
  if (depth > 6) return [];
  if (Array.isArray(value)) return value.flatMap((each) => commandsIn(each, depth + 1));
  const { command, hooks } = record(value);
  return [
    ...(typeof command === 'string' ? [command] : []),
    ...(hooks === undefined ? [] : commandsIn(hooks, depth + 1)),
  ];
}

function lineOf(text: string, command: string): number {
  const at = text.indexOf(JSON.stringify(command));
  return at === -1 ? 1 : text.slice(0, at).split('\n').length;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
