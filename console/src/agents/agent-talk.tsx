import { Link } from '@tanstack/react-router';
import { useSyncExternalStore } from 'react';
import { bodyOf } from '../api/connection.ts';
import { type Agent, startWebCall } from '../generated/client.ts';
import { useText } from '../i18n/language.tsx';
import { onUnsavedChange, unsavedChanges } from '../session/unsaved-changes.ts';
import type { WebCall } from '../talk/connection/web-call.ts';
import type { WebCallState } from '../talk/connection/web-call-state.ts';
import { TalkPanel } from '../talk/talk-panel.tsx';

interface AgentTalkProps {
  readonly agent: Pick<Agent, 'id' | 'name' | 'version'>;
  readonly call: WebCall;
  readonly state: WebCallState;
}

/** A call to the agent of the page, in the version that is shown. */
export function AgentTalk({ agent, call, state }: AgentTalkProps) {
  const text = useText();
  const isChanged = useSyncExternalStore(onUnsavedChange, () => unsavedChanges() !== null);
  const title = text.talk.talkOf(agent.name);
  return (
    <section className="card stack" aria-label={title}>
      <h2>{title}</h2>
      <p role="status" className={isChanged ? 'talk-unsaved' : 'quiet'}>
        {isChanged ? text.talk.withoutChanges(agent.version) : text.talk.savedVersion(agent.version)}
      </p>
      <TalkPanel
        call={call}
        state={state}
        prepare={async () =>
          (await bodyOf(startWebCall({ agent_id: agent.id, agent_version: agent.version }))).data.media_url
        }
      >
        {state.callId !== null && (
          <p>
            <Link to="/calls/$callId" params={{ callId: state.callId }}>
              {text.talk.openCall}
            </Link>
          </p>
        )}
      </TalkPanel>
    </section>
  );
}
