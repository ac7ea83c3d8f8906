import { onKeyringChange } from '../../session/keyring-store.ts';

/** Edited test files by agent, until the page is left or another key is used: they may hold what users say. */
const edited = new Map<string, string>();
onKeyringChange(() => edited.clear());

/** Passes with any agent, and asks no provider. */
const EXAMPLE = `# Each conversation is a call in text mode. «model: script»: the answers of the
# language model stand here, so a run costs nothing. «model: provider» asks the agent's own model.
model: script
conversations:
  - name: answers a greeting
    turns:
      - user: Good morning.
        model: [Good morning. How may I help you?]
        expect:
          - text: /how may I help/i
`;

export function testFileOf(agentId: string): string {
  return edited.get(agentId) ?? EXAMPLE;
}

export function keepTestFile(agentId: string, content: string): void {
  edited.set(agentId, content);
}
