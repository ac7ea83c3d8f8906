import type { AnsweringMachinePhrases } from './answering-machine-phrases.ts';

export const SPANISH: AnsweringMachinePhrases = {
  recording: ['después|tras … señal|tono|pitido|bip', 'deje … mensaje', 'grabe … mensaje', 'dejar … mensaje'],
  absence: [
    'buzón',
    'contestador',
    'correo de voz',
    'no puedo atender|contestar|responder',
    'no podemos atender|contestar|responder',
    'no estoy disponible',
    'no estamos disponibles',
  ],
  menu: [
    'pulse|marque|presione|oprima … uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|cero|asterisco|almohadilla|numeral|1|2|3|4|5|6|7|8|9|0',
    'menú principal',
    'siguientes opciones',
  ],
  screening: ['diga|indique|grabe … su nombre', 'motivo|razón de su llamada', 'por qué llama', 'filtrado'],
  announcement: [
    'apagado o fuera',
    'fuera de cobertura|servicio',
    'no existe',
    'no corresponde a ningún',
    'número que ha marcado|usted',
  ],
  pleaseWait: [
    'espere por favor',
    'por favor espere',
    'no cuelgue',
    'manténgase|permanezca … línea',
    'un momento por favor',
    'le comunico',
    'le paso',
    'transfiriendo',
  ],
};
