import type { Attempt } from '../attempt.ts';

/**
 * Files of the project that belong to the loop and the person. Every attempt has one of its own, `ralph/$ID.md`; that it
 * is what it was is looked at afterwards, from outside.
 */
export const PROTECTED: readonly Attempt[] = [
  {
    id: 'protected-write',
    category: 'protected files',
    attempt: 'write, append to, truncate or replace a protected file',
    by: 'sh',
    script: `
      file="ralph/$ID.md"
      chmod u+w ralph "$file"
      echo mine > "$file"; echo mine >> "$file"; : > "$file"
      echo mine > other; cp -f other "$file"; mv -f other "$file"; ln -sf "$WORK/README.md" "$file"
      rm -f "$file"; dd if=/dev/zero of="$file" bs=1 count=1`,
  },
  {
    id: 'protected-move',
    category: 'protected files',
    attempt: 'move the folder of a protected file away and put another in its place',
    by: 'sh',
    script: `
      mv ralph ralph-old && mkdir ralph && echo mine > "ralph/$ID.md"
      mv ralph-old ralph
      mv .ralph dot-old && mkdir .ralph`,
  },
  {
    id: 'protected-settings',
    category: 'protected files',
    attempt: "change the loop's settings",
    by: 'sh',
    script: `
      echo '{}' > ralph.config.json; rm -f ralph.config.json
      grep -q battery ralph.config.json || escaped 'the settings were changed'`,
  },
  {
    id: 'protected-state',
    category: 'protected files',
    attempt: 'write to .ralph/, and to what is read-only beside what may be written',
    by: 'sh',
    script: `
      echo new > ".ralph/$ID" && escaped '.ralph/ can be written'
      echo new > .ralph/PRD-1/new && escaped 'a new file in .ralph/PRD-1/'
      echo new >> .ralph/PRD-1/prompt.md && escaped '.ralph/PRD-1/prompt.md can be written'
      rm -rf .ralph/PRD-1/prompt.md; [ -s .ralph/PRD-1/prompt.md ] || escaped '.ralph/PRD-1/prompt.md is gone'`,
  },
  {
    id: 'protected-uncover',
    category: 'protected files',
    attempt: 'reach a protected file by the paths of other processes, and by its inode',
    by: 'sh',
    script: `
      for way in /proc/self/cwd /proc/1/cwd /proc/self/root"$WORK" /proc/1/root"$WORK"; do
        echo mine > "$way/ralph/$ID.md"
      done
      exec 3< "ralph/$ID.md" && echo mine > /proc/self/fd/3`,
  },
];
