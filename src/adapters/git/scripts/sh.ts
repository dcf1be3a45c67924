/** Marks a template as the text of a POSIX sh script: backslashes stay as they are, `\${` stands for the shell's `${`. */
export function sh(text: TemplateStringsArray): string {
  return (text.raw[0] ?? '').replaceAll('\\${', '${');
}
