import type { session as english } from './en.ts';

export const session: typeof english = {
  key: 'Clave de API',
  signIn: 'Iniciar sesión',
  explanation:
    'Inicie sesión con una clave de API. Permanece en esta pestaña hasta que la cierre. Cree una con «trunkline keys create».',
  refused: 'Esta clave de API fue rechazada: es desconocida o está revocada.',
  addKey: 'Añadir otra clave',
  removeKey: 'Cerrar la sesión de esta clave',
  keys: 'Claves de API',
  scopes: 'Permisos',
  account: (name) => `Clave de API ${name}, cambiar o cerrar la sesión`,
  kept: 'Sus cambios sin guardar de un agente se conservan. Los recuperará al iniciar sesión.',
  keptHere: 'El servicio rechazó la clave en uso. Se conservan cambios sin guardar de un agente.',
  keptElsewhere: 'Para continuar, use una clave de la misma organización con el permiso «write».',
  goOn: 'Seguir editando',
  discard: 'Descartar los cambios',
  noAccess: 'Sin acceso',
  scopeMissing: (scope) => `La clave de API en uso no tiene el permiso «${scope}» que esta página necesita.`,
};
