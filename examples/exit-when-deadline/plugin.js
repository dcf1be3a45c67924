import { definePlugin } from '@ralph-loop/cli/plugin';

/** Ends a run after the first iteration that is over later than `at`. */
export default definePlugin(({ options }) => {
  const end = deadline(options.at, new Date());
  return {
    name: 'deadline',
    exitWhen: () => (Date.now() >= end.getTime() ? `it is later than ${options.at}` : null),
  };
});

/** `07:30` is the next half past seven of this machine's clock; anything else is a date. */
function deadline(at, now) {
  const clock = /^(\d{1,2}):(\d{2})$/.exec(at);
  const end = clock ? new Date(now) : new Date(at);
  if (clock) end.setHours(Number(clock[1]), Number(clock[2]), 0, 0);
  if (Number.isNaN(end.getTime())) throw new Error('options.at is a time such as "07:30", or a date');
  if (clock && end <= now) end.setDate(end.getDate() + 1);
  return end;
}
