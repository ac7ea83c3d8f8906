import { useQuery } from '@tanstack/react-query';
import { ApiFailure } from '../api/api-failure.ts';
import { bodyOf } from '../api/connection.ts';
import { shortTime } from '../format/time.ts';
import { type Call, getSipLadder } from '../generated/client.ts';
import { useLanguage, useText } from '../i18n/language.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { legName, type SipStep, sipSteps } from './sip-steps.ts';

/** The SIP messages of a call as arrows between the service and its peers. The service keeps those of its latest calls only. */
export function SipLadder({ call }: { readonly call: Call }) {
  const text = useText();
  const query = useQuery({
    queryKey: ['ladder', call.id, call.status],
    enabled: call.type === 'phone_call',
    queryFn: async () => {
      try {
        return sipSteps(await bodyOf(getSipLadder(call.id)));
      } catch (error) {
        if (error instanceof ApiFailure && error.status === 404) return [];
        throw error;
      }
    },
  });
  if (call.type !== 'phone_call') return null;
  return (
    <section className="card stack" aria-label={text.call.sip}>
      <h2>{text.call.sip}</h2>
      <QueryView query={query}>
        {(steps) => (steps.length === 0 ? <p className="quiet">{text.call.noSip}</p> : <Arrows steps={steps} />)}
      </QueryView>
    </section>
  );
}

function Arrows({ steps }: { readonly steps: readonly SipStep[] }) {
  const { language, messages: text } = useLanguage();
  return (
    <table className="ladder">
      <thead>
        <tr>
          <th scope="col" className="number">
            {text.calls.when}
          </th>
          <th scope="col">{text.call.leg}</th>
          <th scope="col">{text.call.message}</th>
        </tr>
      </thead>
      <tbody>
        {steps.map(({ place, atMs, leg, isSent, remote, message }) => (
          <tr key={place}>
            <td className="number mono">{shortTime(atMs, language)}</td>
            <td>{legName(leg, text)}</td>
            <td>
              <span className={isSent ? 'arrow arrow-sent' : 'arrow arrow-received'} title={remote}>
                <span className="visually-hidden">{isSent ? text.call.sent : text.call.received}: </span>
                <span className="mono">{message}</span>
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
