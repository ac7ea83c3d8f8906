import { useQuery } from '@tanstack/react-query';
import { bodyOf } from '../api/connection.ts';
import { percent } from '../format/percent.ts';
import { localTime } from '../format/time.ts';
import { listTrunkReachability } from '../generated/client.ts';
import { useLanguage } from '../i18n/language.tsx';
import { dayBars, dayShare } from './reachability-day.ts';

/** The checks of the current half hour go on, ms. */
const READ_INTERVAL_MS = 60_000;

/** How reachable a trunk was over the last day: a bar for each half hour. */
export function LastDay({ trunkId }: { readonly trunkId: string }) {
  const { language, messages: text } = useLanguage();
  const { data, dataUpdatedAt } = useQuery({
    queryKey: ['trunk-reachability'],
    queryFn: () => bodyOf(listTrunkReachability()),
    refetchInterval: READ_INTERVAL_MS,
  });
  const intervals = data?.data.find(({ trunk_id: id }) => id === trunkId)?.intervals ?? [];
  const share = dayShare(intervals);
  if (share === null) return null;
  const label = text.telephony.lastDay(percent(share, language));
  return (
    <div className="day">
      <div className="day-bars" role="img" aria-label={label}>
        {dayBars(intervals, dataUpdatedAt).map((bar) => {
          const time = localTime(new Date(bar.startMs).toISOString(), language);
          const shown = bar.share === null ? text.telephony.unchecked : percent(bar.share, language);
          return (
            <span key={bar.startMs} className={`day-bar day-${bar.state}`} title={text.common.pair(time, shown)} />
          );
        })}
      </div>
      <p className="quiet cell-text">{label}</p>
    </div>
  );
}
