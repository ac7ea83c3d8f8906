import type { ReactNode } from 'react';

export type Tone = 'plain' | 'good' | 'bad' | 'warn' | 'info';

export function Badge({ tone = 'plain', children }: { readonly tone?: Tone; readonly children: ReactNode }) {
  return <span className={`badge badge-${tone}`}>{children}</span>;
}
