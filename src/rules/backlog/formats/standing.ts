import { words } from '../../text/index.ts';

/** `off`: called off or on hold, `gone`: kept only for the history. */
export type Standing = 'done' | 'open' | 'off' | 'gone';

const DONE = new Set(
  words(
    'done complete completed finished passed passing pass implemented closed merged shipped verified approved resolved ' +
      'fixed deployed released delivered true yes y x ok success succeeded successful ' +
      'erledigt fertig abgeschlossen terminé terminée fini finie hecho hecha completado completada terminado terminada ' +
      'concluído concluída feito fatto completato voltooid klaar afgerond gereed gedaan finalizado finalizada fulfilled ' +
      'zrobione gotowe ukończone готово выполнено завершено сделано hotovo dokončeno färdig ferdig færdig valmis tehty ' +
      'kész tamamlandı 完成 已完成 完了 完毕 완료',
  ),
);
/** These mean done only as the whole status: `live testing` does not. */
const DONE_ALONE = new Set(['live', 'fait', 'in production', 'on main']);
/** After a word of completion, one of these negates it: `done except tests`, `FIXED_LOCALLY_NOT_DEPLOYED`. */
const DOUBTS = new Set(
  words(
    'for not no partial partially partly mostly almost nearly half except but without until pending todo remaining needs ' +
      'awaiting failing failed issues blocked wip unverified untested locally review nicht ohne außer bis sauf sans pero ' +
      'salvo sin falta maar zonder',
  ),
);
/** Work that is called off or on hold, so not for an agent. Deferred work is not included: its turn comes later. */
const OFF = new Set(
  words(
    'blocked cancelled canceled skipped skip wontfix wontdo obsolete abandoned dropped duplicate ' +
      'superseded descoped onhold outofscope notneeded notapplicable na rejected invalid declined deprecated notplanned ' +
      'cannotreproduce blockiert abgebrochen verworfen bloqué annulé ' +
      'bloqueado cancelado geblokkeerd geannuleerd anulowane отменено 取消 已取消',
  ),
);
const GONE = new Set(words('deleted archived archive removed tombstone trashed trash'));
/** Words for open work; a text that holds none of all these words is not a status. */
const OPEN = new Set(
  words(
    'todo open pending notstarted new backlog planned incomplete inprogress wip doing inreview review needsreview partial ' +
      'deferred ready queued upcoming active next started failed failing no false n offen encours àfaire pendiente pendente ' +
      'вработе 未完成 未开始 未着手 进行中 進行中 待办',
  ),
);
const TICKS = /[\u2705\u2714\u2611\u2713\u{1F389}\u{1F7E2}]/u;
const CROSSES = /[\u274C\u2716\u2610\u23F3\u{1F6A7}\u{1F532}]/u;

/** Words that states are put together with. */
const BETWEEN = new Set(words('in not to do on and yet work progress hold started won t'));

/** Whether a text begins like a status: `✅ Done`, `in progress`, `⬜`, `60%`; with `whole`, whether it is nothing else. */
export function isState(text: string, whole = false): boolean {
  const said = wordsIn(text);
  if (said.length > 4) return false;
  if (said.length === 0) return /\p{Extended_Pictographic}|\p{So}|\d\s*%/u.test(text);
  if (OPEN.has(said.slice(0, whole ? said.length : 2).join(''))) return true;
  const isPlain = said.every((word) => [DONE, OFF, GONE, OPEN, BETWEEN].some((known) => known.has(word)));
  return standingOf(text) !== 'open' && (isPlain || !whole);
}

function wordsIn(text: string): string[] {
  const words = text
    .normalize('NFC')
    .toLowerCase()
    .replace(/['\u2019]/g, '');
  return words.split(/[^\p{L}]+/u).filter((word) => word !== '');
}

/**
 * The meaning of a status, in any case and with any emoji: `✅ Done`, `COMPLETED (2026-01-02)`, `won't fix`, `100%`.
 * Everything else, including partial work and reviews, is open.
 */
export function standingOf(status: string): Standing {
  const percent = /^\W*(\d{1,3}(?:\.\d+)?)\s*%/.exec(status)?.[1];
  if (percent !== undefined) return Number(percent) === 100 ? 'done' : 'open';
  const words = wordsIn(status);
  const [first] = words;
  if (first === undefined) return TICKS.test(status) && !CROSSES.test(status) ? 'done' : 'open';
  if (DONE_ALONE.has(words.join(' '))) return 'done';
  if (DONE.has(first)) return status.includes('?') || words.some((word) => DOUBTS.has(word)) ? 'open' : 'done';
  // The whole text, or its first word or two: "on hold until May", "skipped (no key)".
  if (GONE.has(first) && words.length < 4) return 'gone';
  const heads = [words.join(''), first, words.slice(0, 2).join(''), words.slice(0, 3).join('')];
  return heads.some((head) => OFF.has(head)) ? 'off' : 'open';
}
