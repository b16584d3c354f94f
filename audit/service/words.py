"""What the service writes to people, in Chinese, Portuguese and English. No message names a person, table or amount."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from audit.base.model import Text

SUBJECTS: Final = MappingProxyType(
    {
        "findings": Text(
            "合規審計：{casino} {gaming_day} 有表面不符合規章之處",
            "Auditoria de conformidade: aparente desconformidade, {casino} {gaming_day}",
            "Compliance audit: apparent non-compliance, {casino} {gaming_day}",
        ),
        "refused": Text(
            "合規審計：{casino} {gaming_day} 的資料不獲接受",
            "Auditoria de conformidade: entrega recusada, {casino} {gaming_day}",
            "Compliance audit: delivery refused, {casino} {gaming_day}",
        ),
        "failed": Text(
            "合規審計：{casino} {gaming_day} 未能完成",
            "Auditoria de conformidade: falhou, {casino} {gaming_day}",
            "Compliance audit: failed, {casino} {gaming_day}",
        ),
        "missing": Text(
            "合規審計：{casino} 有博彩日逾期未審計",
            "Auditoria de conformidade: dias de jogo por auditar, {casino}",
            "Compliance audit: gaming days not audited, {casino}",
        ),
        "missed": Text(
            "合規審計：預定的審計沒有進行",
            "Auditoria de conformidade: a auditoria prevista não se realizou",
            "Compliance audit: the scheduled audit did not take place",
        ),
        "hanging": Text(
            "合規審計：審計進行過久",
            "Auditoria de conformidade: auditoria demasiado demorada",
            "Compliance audit: an audit is taking too long",
        ),
        "tampered": Text(
            "合規審計：審計帳冊曾被更改",
            "Auditoria de conformidade: o registo de auditorias foi alterado",
            "Compliance audit: the audit ledger was changed",
        ),
    }
)
"""Kind of message -> its subject."""

BODIES: Final = MappingProxyType(
    {
        "findings": Text(
            "娛樂場 {casino} 於博彩日 {gaming_day} 的審計（第 {attempt} 次）已完成：共 {findings} 項"
            "（{counts}），最高級別 {worst}。報告：{link} （SHA-256：{sha256}）",
            "Concluída a auditoria do casino {casino}, dia de jogo {gaming_day} (tentativa {attempt}): {findings} "
            "ocorrências ({counts}), gravidade máxima {worst}. Relatório: {link} (SHA-256: {sha256})",
            "The audit of casino {casino}, gaming day {gaming_day} (attempt {attempt}) is complete: {findings} "
            "findings ({counts}), gravest severity {worst}. Report: {link} (SHA-256: {sha256})",
        ),
        "refused": Text(
            "娛樂場 {casino} 於博彩日 {gaming_day} 的資料未能使用，須重新提交。原因（英文）：{reason}",
            "A entrega do casino {casino}, dia de jogo {gaming_day}, não pode ser usada e deve ser repetida. "
            "Motivo (em inglês): {reason}",
            "The delivery of casino {casino}, gaming day {gaming_day}, cannot be used and must be made again. "
            "Reason: {reason}",
        ),
        "failed": Text(
            "娛樂場 {casino} 於博彩日 {gaming_day} 的審計未能完成，下次將再嘗試。原因（英文）：{reason}",
            "A auditoria do casino {casino}, dia de jogo {gaming_day}, não se concluiu; será tentada de novo. "
            "Motivo (em inglês): {reason}",
            "The audit of casino {casino}, gaming day {gaming_day}, was not completed; it will be tried again. "
            "Reason: {reason}",
        ),
        "missing": Text(
            "娛樂場 {casino} 以下博彩日逾期仍未審計：{reason}",
            "Casino {casino}: dias de jogo ainda por auditar depois do prazo: {reason}",
            "Casino {casino}: gaming days still not audited after the deadline: {reason}",
        ),
        "missed": Text(
            "服務當時沒有運作，預定於 {reason} 的審計沒有進行；現正補做。",
            "O serviço não estava em funcionamento; a auditoria prevista para {reason} não se realizou e está a ser "
            "feita agora.",
            "The service was not running; the audit scheduled for {reason} did not take place and is being made up "
            "now.",
        ),
        "hanging": Text(
            "娛樂場 {casino} 於博彩日 {gaming_day} 的審計自 {reason} 開始，至今仍未完成。",
            "A auditoria do casino {casino}, dia de jogo {gaming_day}, começou em {reason} e ainda não terminou.",
            "The audit of casino {casino}, gaming day {gaming_day}, began at {reason} and has not finished yet.",
        ),
        "tampered": Text(
            "審計帳冊與其記錄時不同，服務已停止。詳情（英文）：{reason}",
            "O registo de auditorias não está como foi escrito; o serviço parou. Pormenor (em inglês): {reason}",
            "The audit ledger is not as it was written; the service has stopped. Detail: {reason}",
        ),
    }
)
"""Kind of message -> its one sentence."""

CLOSING: Final = Text(
    "審計編號：{run_id}；帳冊末項：{head}",
    "N.º da auditoria: {run_id}; último lançamento: {head}",
    "Run: {run_id}; last ledger entry: {head}",
)
"""Below the sentence: what the message can be checked against."""
