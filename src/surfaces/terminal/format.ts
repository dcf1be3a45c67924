export { dollars, elapsed, tokens } from '../../rules/amounts.ts';

/** A clock that counts up: `0:07`, `12:30`, `1:02:03`. */
export function stopwatch(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** A clock that counts down, to the second that has begun: `00:00:17`, `02:30:00`, `6d 04:00:00`. */
export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const days = Math.floor(seconds / 86_400);
  const parts = [Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60, seconds % 60];
  return `${days > 0 ? `${days}d ` : ''}${parts.map(two).join(':')}`;
}

/** `1 story`, `2 stories`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** A moment in the person's own time zone, to the minute: `2026-01-31 08:05`. */
export function moment(epochMs: number): string {
  const date = new Date(epochMs);
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** A moment as a clock on the wall shows it; with the day where that is not the day of `now`. */
export function clockTime(epochMs: number, now: number): string {
  const date = new Date(epochMs);
  if (date.toDateString() !== new Date(now).toDateString()) return moment(epochMs);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':');
}

function two(part: number): string {
  return String(part).padStart(2, '0');
}
