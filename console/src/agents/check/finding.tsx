import { Notice } from '../../ui/notice.tsx';
import type { AgentFinding } from './agent-finding.ts';

export function Finding({ finding: { field, message, severity } }: { readonly finding: AgentFinding }) {
  return (
    <Notice tone={severity === 'fault' ? 'bad' : 'warn'}>
      <span>
        <span className="mono">{field}</span> {message}
      </span>
    </Notice>
  );
}
