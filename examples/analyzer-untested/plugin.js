import { definePlugin } from '@ralph-loop/cli/plugin';

/** Words by which agents say that nothing was tested. */
const UNTESTED = [
  /\b(?:could not|couldn't|cannot|can't|was unable to|were unable to|am unable to|did not|didn't) (?:actually )?(?:run|execute) (?:any |all |the |its |these |those )*tests?\b/i,
  /\b(?:tests?|test suite) (?:were|was|have|has) not (?:been )?(?:run|executed)\b/i,
  /\bTESTS_STATUS: *NOT_RUN\b/,
];

/** Tells the next agent when an answer admits that the tests did not run. */
export default definePlugin({
  name: 'untested',
  analyze({ text, story, mode, tests, changedFiles }) {
    // A run that was seen counts more than words about it, and a review may leave the tests to the loop.
    if (tests !== null || mode === 'review' || changedFiles.length === 0) return null;
    const sentence = text.split(/(?<=[.!?])\s|\n/).find((part) => UNTESTED.some((words) => words.test(part)));
    if (sentence === undefined) return null;
    return {
      notes: [
        `The last answer (${story}) said: "${sentence.trim().slice(0, 200)}" Find out first how the tests are run here, and run them before you continue.`,
      ],
    };
  },
});
