import type { AnsweringMachinePhrases } from './answering-machine-phrases.ts';

export const ITALIAN: AnsweringMachinePhrases = {
  recording: [
    'dopo il segnale|bip|tono|beep',
    'lasciate|lascia|lasci … messaggio',
    'lasciare … messaggio',
    'registrate|registra … messaggio',
  ],
  absence: [
    'segreteria',
    'casella vocale',
    'non sono disponibile',
    'non siamo disponibili',
    'non posso rispondere',
    'non possiamo rispondere',
  ],
  menu: [
    'prema|premi|premere|digiti|digitare|selezioni … uno|due|tre|quattro|cinque|sei|sette|otto|nove|zero|asterisco|cancelletto|1|2|3|4|5|6|7|8|9|0',
    'tasto … uno|due|tre|1|2|3',
    'menù principale',
    'seguenti opzioni',
  ],
  screening: [
    'dica|dire|indichi … suo nome',
    'motivo della|della sua|sua chiamata',
    'perché sta chiamando',
    'motivo per cui',
  ],
  announcement: [
    'non è raggiungibile',
    'non raggiungibile',
    'non è attivo',
    'potrebbe avere il terminale spento',
    'cliente da lei chiamato',
    'inesistente',
    'utente da lei',
  ],
  pleaseWait: [
    'attendere prego',
    'attenda|resti in linea',
    'rimanga in linea',
    'un momento prego',
    'prego attendere',
    'la stiamo mettendo in contatto',
    'la metto in contatto',
  ],
};
