import type { ReactNode } from 'react';

interface NoticeProps {
  readonly tone?: 'plain' | 'bad' | 'good' | 'warn';
  readonly children: ReactNode;
}

/** A message that screen readers announce when it appears. */
export function Notice({ tone = 'plain', children }: NoticeProps) {
  return (
    <div role={tone === 'bad' ? 'alert' : 'status'} className={`notice notice-${tone}`}>
      {children}
    </div>
  );
}
