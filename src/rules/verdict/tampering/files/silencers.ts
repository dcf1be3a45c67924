import type { FileChange, TamperFinding } from '../api.ts';
import { languageOf } from '../languages/languages.ts';
import { mask } from '../source/mask.ts';
import { lineOf, newMatches, shown } from './finding.ts';

/** Comments that switch a checker off for a whole file. */
const silencer =
  /\b(?:eslint-disable|tslint:disable|oxlint-disable)(?![-:\w])(?=[ \t]*(?:$|--|\*))|@ts-nocheck\b|@no-?check\b|\bbiome-ignore-all\b|\b(?:flake8|ruff):\s*noqa\b|^[ \t]*type:[ \t]*ignore[ \t]*$|\bmypy:\s*ignore-errors\b|\bpylint:\s*(?:skip-file|disable=all)\b|\bpyright:\s*ignore\b|\b(?:istanbul|c8|v8) ignore file\b|\brubocop:disable all\b|\bswiftlint:disable all\b|@phpstan-ignore-file\b|\bphpcs:ignoreFile\b|\bpragma: no cover file\b/gm;

/** The same as code. */
const inCode =
  /#!\[allow\((?:warnings|clippy::all|unused)\)\]|^[ \t]*@SuppressWarnings\("all"\)|^[ \t]*#pragma warning disable[ \t]*$/gm;

/** Whole files that a checker no longer looks at. */
export function silencedFiles({ path, before, after }: FileChange): TamperFinding[] {
  const language = languageOf(path);
  if (language === undefined || after === null) return [];
  const now = mask(after, language.lexis);
  const old = before === null ? null : mask(before, language.lexis);
  return [
    ...newMatches(silencer, old?.comments ?? '', now.comments),
    ...newMatches(inCode, old?.text ?? '', now.text).filter(({ index }) => now.code[index] === after[index]),
  ].map((match) => ({
    kind: 'check-neutralised',
    path,
    line: lineOf(after, match),
    detail: `${shown(match[0])} switches a checker off for the whole file${before === null ? ', which is new' : ''}.`,
    severity: before === null ? 'low' : 'high',
  }));
}
