"""Validates every signature of a PDF with pyHanko and prints a JSON list.

validate.py FILE {plain|trust-only|lta} ROOT.pem... [-- CRL.der...]

plain       demands revocation data, from the given CRLs
trust-only  asks for no revocation data
lta         AdES with long-term data: what the file holds, the roots and the given CRLs must be enough; lta@TIME at another time than now
"""
import asyncio
import datetime
import json
import logging
import sys

from asn1crypto import crl, pem, x509
from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign.validation import validate_pdf_signature
from pyhanko.sign.validation.ades import ades_lta_validation
from pyhanko.sign.validation.policy_decl import (
    LocalKnowledge,
    PdfSignatureValidationSpec,
    RevinfoOnlineFetchingRule,
    RevocationInfoGatheringSpec,
    SignatureValidationSpec,
)
from pyhanko_certvalidator import ValidationContext
from pyhanko_certvalidator.context import CertValidationPolicySpec
from pyhanko_certvalidator.ltv.types import ValidationTimingInfo
from pyhanko_certvalidator.policy_decl import REQUIRE_REVINFO, CertRevTrustPolicy
from pyhanko_certvalidator.revinfo.archival import CRLContainer
from pyhanko_certvalidator.registry import SimpleTrustManager

logging.disable(logging.CRITICAL)
path, profile, *rest = sys.argv[1:]
profile, _, at = profile.partition("@")
roots, crls = (rest[: rest.index("--")], rest[rest.index("--") + 1 :]) if "--" in rest else (rest, [])


def certificate(path):
    with open(path, "rb") as file:
        data = file.read()
    return x509.Certificate.load(pem.unarmor(data)[2] if pem.detect(data) else data)


trust_roots = [certificate(root) for root in roots]


def described(signature, status, bottom_line):
    return {
        "field": signature.field_name,
        "intact": status.intact,
        "valid": status.valid,
        "bottomLine": bottom_line,
        "coverage": status.coverage.name,
        "modifications": status.modification_level.name if status.modification_level else None,
        "timestamped": bool(status.timestamp_validity and status.timestamp_validity.valid),
    }


def long_term(signature):
    policy = CertValidationPolicySpec(
        trust_manager=SimpleTrustManager.build(trust_roots=trust_roots),
        revinfo_policy=CertRevTrustPolicy(REQUIRE_REVINFO),
    )
    gathering = RevocationInfoGatheringSpec(online_fetching_rule=RevinfoOnlineFetchingRule.LOCAL_ONLY)
    current = [CRLContainer(crl.CertificateList.load(open(path, "rb").read())) for path in crls]
    spec = SignatureValidationSpec(
        cert_validation_policy=policy,
        revinfo_gathering_policy=gathering,
        local_knowledge=LocalKnowledge(known_crls=current),
    )
    moment = datetime.datetime.fromisoformat(at) if at else None
    timing = ValidationTimingInfo(moment, moment, point_in_time_validation=False) if moment else None
    result = asyncio.run(ades_lta_validation(signature, PdfSignatureValidationSpec(spec), timing_info=timing))
    return {**described(signature, result.api_status, result.api_status.bottom_line), "ades": str(result.ades_subindic)}


def current(signature):
    options = {"trust_roots": trust_roots, "allow_fetching": False}
    if profile == "plain":
        options["revocation_mode"] = "require"
        options["crls"] = [crl.CertificateList.load(open(path, "rb").read()) for path in crls]
    status = validate_pdf_signature(signature, ValidationContext(**options))
    return described(signature, status, status.bottom_line)


with open(path, "rb") as file:
    signatures = PdfFileReader(file).embedded_regular_signatures
    print(json.dumps([long_term(each) if profile == "lta" else current(each) for each in signatures]))
