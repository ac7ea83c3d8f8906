import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { bodyOf } from '../../api/connection.ts';
import { deployVersion } from '../../generated/client.ts';
import { useText } from '../../i18n/language.tsx';

/** How a version becomes the active one. */
export type Deployment = ReturnType<typeof useDeployment>;

/** For the page, which stays: its view of the agent begins again with another version. */
export function useDeployment(agentId: string, onDeployed: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (version: number) => bodyOf(deployVersion(version, agentId)),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['agent', agentId] });
      await client.invalidateQueries({ queryKey: ['agents'] });
      onDeployed();
    },
  });
}

interface DeploymentNoticeProps {
  readonly deployment: Deployment;
  readonly active: number | null;
}

/** Says which version was made the active one, while it is. */
export function DeploymentNotice({ deployment, active }: DeploymentNoticeProps) {
  if (!deployment.isSuccess || deployment.variables !== active) return null;
  return <Deployed key={deployment.submittedAt} version={deployment.variables} />;
}

/** Takes the focus: the button that had it is gone, because its version is active. */
function Deployed({ version }: { readonly version: number }) {
  const text = useText();
  const notice = useRef<HTMLDivElement>(null);
  useEffect(() => notice.current?.focus(), []);
  return (
    <div role="status" tabIndex={-1} ref={notice} className="notice notice-good">
      {text.agents.outcome.published(version)}
    </div>
  );
}
