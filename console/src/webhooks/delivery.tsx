import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { bodyOf } from '../api/connection.ts';
import { localTime, shortTime } from '../format/time.ts';
import { redeliver, type WebhookDelivery } from '../generated/client.ts';
import { useLanguage, useText } from '../i18n/language.tsx';
import { useAllowed } from '../session/keyring-store.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { DELIVERY_TONES } from './delivery-tone.ts';

/** One event: its URL, attempts and body, and the button that delivers it again. */
export function Delivery({ delivery }: { readonly delivery: WebhookDelivery }) {
  const { language, messages: text } = useLanguage();
  const mayWrite = useAllowed('write');
  const client = useQueryClient();
  const again = useMutation({
    mutationFn: () => bodyOf(redeliver(delivery.id)),
    onSuccess: () => client.invalidateQueries({ queryKey: ['deliveries'] }),
  });
  const { type, status, url, created_at: createdAt, call_id: callId, body, next_attempt_at: nextAt } = delivery;
  return (
    <li className="card stack">
      <div className="row spread">
        <h2 className="mono">{type}</h2>
        <span className="row">
          <Badge tone={DELIVERY_TONES[status]}>{text.call.deliveryStatuses[status]}</Badge>
          {mayWrite && (
            <Button disabled={again.isPending} onClick={() => again.mutate()}>
              {text.call.resend}
            </Button>
          )}
        </span>
      </div>
      <p className="cell-text">
        {localTime(createdAt, language)} · <span className="mono">{url}</span> ·{' '}
        <Link to="/calls/$callId" params={{ callId }}>
          {text.webhooks.call}
        </Link>
        {nextAt !== null && ` · ${text.webhooks.next(localTime(nextAt, language))}`}
      </p>
      <ErrorNotice error={again.error} />
      <Attempts delivery={delivery} />
      <details>
        <summary>{text.webhooks.body}</summary>
        <pre className="detail detail-whole">
          {body === null ? text.webhooks.deleted : JSON.stringify(body, null, 2)}
        </pre>
      </details>
    </li>
  );
}

function Attempts({ delivery: { attempts } }: { readonly delivery: WebhookDelivery }) {
  const { language } = useLanguage();
  const text = useText();
  if (attempts.length === 0) return <p className="quiet">{text.webhooks.noAttempt}</p>;
  return (
    <details>
      <summary>{text.webhooks.attempts(attempts.length)}</summary>
      <ol className="stack">
        {attempts.map(({ attempt, attempted_at: atTime, duration_ms: durationMs, http_status: status, outcome }) => (
          <li key={`${attempt} ${atTime}`}>
            {attempt}. {localTime(atTime, language)} · {status ?? text.webhooks.noResponse} ·{' '}
            {shortTime(durationMs, language)}
            {outcome !== '' && <pre className="detail detail-whole">{outcome}</pre>}
          </li>
        ))}
      </ol>
    </details>
  );
}
