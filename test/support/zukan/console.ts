/** Commands with their output, as the documentation shows them. */
export interface ConsoleStep {
  command: string;
  output: string;
}

/** The steps of all `console` blocks: a line that starts with `$`, and what it prints. */
export function consoleSteps(text: string): ConsoleStep[] {
  const blocks = [...text.matchAll(/```console\n([\s\S]*?)```/g)].map((match) => match[1] as string);
  return blocks.flatMap((block) =>
    block
      .split(/^\$ /m)
      .filter(Boolean)
      .map((step) => {
        const [command = '', ...output] = step.split('\n');
        return { command, output: output.join('\n') };
      }),
  );
}

/** Ignores white space. An … stands for anything. */
export function outputPattern(output: string): RegExp {
  const parts = withoutSpace(output).split('…');
  return new RegExp(`^${parts.map((part) => RegExp.escape(part)).join('[\\s\\S]*')}$`);
}

export const withoutSpace = (text: string) => text.replaceAll(/\s/g, '');
