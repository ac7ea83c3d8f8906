import type { AnsweringMachinePhrases } from './answering-machine-phrases.ts';

export const PORTUGUESE: AnsweringMachinePhrases = {
  recording: [
    'após|depois … sinal|bip|tom',
    'deixe|deixar … mensagem|recado',
    'grave … mensagem|recado',
    'grave seu nome',
  ],
  absence: [
    'caixa postal',
    'correio de voz',
    'caixa de mensagens',
    'secretária eletrônica',
    'não posso atender',
    'não podemos atender',
    'não estou disponível',
    'não estamos disponíveis',
  ],
  menu: [
    'pressione|digite|tecle|disque|marque … um|dois|três|quatro|cinco|seis|sete|oito|nove|zero|asterisco|cardinal|1|2|3|4|5|6|7|8|9|0',
    'prima … tecla|1|2|3|4|5|6|7|8|9|0',
    'menu principal',
    'seguintes opções',
  ],
  screening: [
    'diga|informe|indique … seu nome',
    'motivo da|da sua|sua chamada|ligação',
    'por que está ligando',
    'porque está a ligar',
  ],
  announcement: [
    'desligado ou fora',
    'fora de área|serviço',
    'não existe',
    'não está atribuído',
    'número que marcou|discado',
    'não foi possível completar',
  ],
  pleaseWait: [
    'aguarde … linha|momento',
    'por favor aguarde',
    'aguarde por favor',
    'não desligue',
    'um momento por favor',
    'vou transferir',
    'estamos transferindo',
  ],
};
