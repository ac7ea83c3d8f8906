import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { ApiFailure } from '../api/connection.ts';
import type { Agent, AgentVersion } from '../generated/client.ts';
import { useText } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { type AgentFinding, faultFindings, warningFindings } from './check/agent-finding.ts';
import { isDocument, parsedJson } from './document/agent-document.ts';
import { activeVersion } from './stored/active-version.ts';
import { createdVersion, storeVersion } from './stored/store-version.ts';

interface SaveBarProps {
  readonly agent: Agent | null;
  readonly versions: readonly AgentVersion[];
  readonly content: string;
  readonly isChanged: boolean;
  readonly onFindings: (findings: readonly AgentFinding[]) => void;
}

/** Publishes the document as a new version, or keeps it as a draft. The service checks it: its findings name their fields. */
export function SaveBar({ agent, versions, content, isChanged, onFindings }: SaveBarProps) {
  const text = useText();
  const client = useQueryClient();
  const navigate = useNavigate();
  const saved = useMutation({
    mutationFn: async (publish: boolean) => {
      const document = parsedJson(content);
      if (!isDocument(document)) throw new Error(text.agents.noJson);
      return agent === null
        ? createdVersion(document)
        : storeVersion({ agent, versions, document, isChanged, publish });
    },
    onSuccess: async ({ id, version, warnings }, publish) => {
      onFindings(warningFindings(warnings));
      await client.invalidateQueries({ queryKey: ['agents'] });
      if (agent !== null) await client.invalidateQueries({ queryKey: ['agent', agent.id] });
      const search = publish || version === activeVersion(versions) ? {} : { version };
      await navigate({ to: '/agents/$agentId', params: { agentId: id }, search });
    },
    onError: (error) => {
      onFindings(faultFindings(error instanceof ApiFailure ? error.details : []));
    },
  });
  const isStored = agent !== null && !isChanged && agent.version === activeVersion(versions);
  return (
    <div className="row">
      <Button tone="main" disabled={saved.isPending || isStored} onClick={() => saved.mutate(true)}>
        {agent === null ? text.agents.createIt : text.agents.publish}
      </Button>
      {agent !== null && (
        <Button disabled={saved.isPending || !isChanged} onClick={() => saved.mutate(false)}>
          {text.agents.saveDraft}
        </Button>
      )}
      {saved.error !== null && <Notice tone="bad">{saved.error.message}</Notice>}
      {saved.data !== undefined && <Notice tone="good">{saved.data.message}</Notice>}
    </div>
  );
}
