/** What a word in a status field says about a story. */
export type Standing = 'done' | 'open' | 'off';

const DONE = new Set(
  (
    'done complete completed finished passed passing pass implemented closed merged shipped verified approved resolved ' +
    'fixed deployed released delivered true yes y x ok success succeeded successful ' +
    'erledigt fertig abgeschlossen terminé terminée fini finie hecho hecha completado completada terminado terminada ' +
    'concluído concluída feito fatto completato voltooid klaar afgerond gereed 完成 已完成 完了'
  ).split(' '),
);
/** Done only as the whole status: `live testing` is none. */
const DONE_ALONE = new Set(['live', 'fait', 'in production', 'on main']);
/** After a word of completion, one of these takes it back: `done except tests`, `FIXED_LOCALLY_NOT_DEPLOYED`. */
const DOUBTS = new Set(
  (
    'not no partial partially partly mostly almost nearly half except but without until pending todo remaining needs ' +
    'awaiting failing failed issues blocked wip unverified untested locally review nicht ohne außer bis sauf sans pero ' +
    'salvo sin falta maar zonder'
  ).split(' '),
);
/** Work that somebody called off or holds back: nothing for an agent. What is only deferred comes to its turn. */
const OFF = new Set(
  (
    'blocked cancelled canceled skipped skip wontfix wontdo obsolete abandoned dropped duplicate ' +
    'superseded descoped onhold outofscope notneeded notapplicable na blockiert abgebrochen verworfen bloqué annulé ' +
    'bloqueado cancelado geblokkeerd geannuleerd'
  ).split(' '),
);
const TICKS = /[\u2705\u2714\u2611\u2713\u{1F389}]/u;
const CROSSES = /[\u274C\u2716\u2610\u23F3\u{1F6A7}\u{1F532}]/u;

/**
 * What a status says, in whatever case, with whatever emoji: `✅ Done`, `COMPLETED (2026-01-02)`, `won't fix`, `100%`.
 * Everything else, partial work and reviews among it, is open.
 */
export function standingOf(status: string): Standing {
  const percent = /^\W*(\d{1,3}(?:\.\d+)?)\s*%/.exec(status)?.[1];
  if (percent !== undefined) return Number(percent) === 100 ? 'done' : 'open';
  const words = status
    .normalize('NFC')
    .toLowerCase()
    .replace(/['\u2019]/g, '')
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== '');
  const [first] = words;
  if (first === undefined) return TICKS.test(status) && !CROSSES.test(status) ? 'done' : 'open';
  if (DONE_ALONE.has(words.join(' '))) return 'done';
  if (DONE.has(first)) return words.some((word) => DOUBTS.has(word)) ? 'open' : 'done';
  // The whole, or its first word or two: "on hold until May", "skipped (no key)".
  const heads = [words.join(''), first, words.slice(0, 2).join(''), words.slice(0, 3).join('')];
  return heads.some((head) => OFF.has(head)) ? 'off' : 'open';
}
