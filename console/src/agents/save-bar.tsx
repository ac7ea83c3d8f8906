import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { ApiFailure, bodyOf } from '../api/connection.ts';
import { type Agent, type AgentWarning, createAgent, updateAgent } from '../generated/client.ts';
import { useText } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { isDocument, parsedJson } from './agent-document.ts';

interface SaveBarProps {
  readonly agent: Agent | null;
  readonly content: string;
  readonly isChanged: boolean;
  readonly onFindings: (findings: readonly AgentWarning[]) => void;
}

/** Publishes the document as a new version. The service checks it: its findings name their fields. */
export function SaveBar({ agent, content, isChanged, onFindings }: SaveBarProps) {
  const text = useText();
  const client = useQueryClient();
  const navigate = useNavigate();
  const saved = useMutation({
    mutationFn: async () => {
      const document = parsedJson(content);
      if (!isDocument(document)) throw new Error(text.agents.noJson);
      if (agent !== null) return bodyOf(updateAgent(agent.id, document, { publish: true, baseVersion: agent.version }));
      return bodyOf(createAgent(document));
    },
    onSuccess: async ({ data }) => {
      onFindings(data.warnings ?? []);
      await client.invalidateQueries({ queryKey: ['agents'] });
      if (agent === null) await navigate({ to: '/agents/$agentId', params: { agentId: data.id } });
      else await client.invalidateQueries({ queryKey: ['agent', agent.id] });
    },
    onError: (error) => {
      const details = error instanceof ApiFailure ? error.details : [];
      onFindings(details.map(({ field, message }) => ({ field: field ?? '', message })));
    },
  });
  return (
    <div className="row">
      <Button tone="main" disabled={saved.isPending || !isChanged} onClick={() => saved.mutate()}>
        {agent === null ? text.agents.create : text.agents.publish}
      </Button>
      {saved.error !== null && <Notice tone="bad">{saved.error.message}</Notice>}
      {saved.data !== undefined && <Notice tone="good">{saved.data.message}</Notice>}
    </div>
  );
}
