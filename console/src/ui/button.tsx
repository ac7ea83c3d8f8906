import type { ComponentProps } from 'react';

interface ButtonProps extends ComponentProps<'button'> {
  readonly tone?: 'main' | 'plain' | 'bad';
}

export function Button({ tone = 'plain', type = 'button', className = '', ...rest }: ButtonProps) {
  return <button type={type} className={`button button-${tone} ${className}`} {...rest} />;
}
