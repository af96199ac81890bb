"""Validates the last signature of each PDF that a line of JSON names, with pyHanko, and prints a line of JSON for each.

judge.py ROOT.der...

in   {"path": "...", "longTerm": bool}
out  {"intact", "valid", "trusted", "ades"} or {"unreadable": "why"}

longTerm: AdES with long-term data: what the file holds, and the roots, must be enough. `ades` is the indication of
ETSI EN 319 102-1 then, null otherwise.
"""
import asyncio
import json
import logging
import sys

from asn1crypto import x509
from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign.validation import validate_pdf_signature
from pyhanko.sign.validation.ades import ades_lta_validation
from pyhanko.sign.validation.policy_decl import (
    PdfSignatureValidationSpec,
    RevinfoOnlineFetchingRule,
    RevocationInfoGatheringSpec,
    SignatureValidationSpec,
)
from pyhanko_certvalidator import ValidationContext
from pyhanko_certvalidator.context import CertValidationPolicySpec
from pyhanko_certvalidator.policy_decl import REQUIRE_REVINFO, CertRevTrustPolicy
from pyhanko_certvalidator.registry import SimpleTrustManager

logging.disable(logging.CRITICAL)
roots = [x509.Certificate.load(open(path, "rb").read()) for path in sys.argv[1:]]


def described(status, ades):
    return {"intact": status.intact, "valid": status.valid, "trusted": status.bottom_line, "ades": ades}


def long_term(signature):
    policy = CertValidationPolicySpec(
        trust_manager=SimpleTrustManager.build(trust_roots=roots),
        revinfo_policy=CertRevTrustPolicy(REQUIRE_REVINFO),
    )
    gathering = RevocationInfoGatheringSpec(online_fetching_rule=RevinfoOnlineFetchingRule.LOCAL_ONLY)
    spec = SignatureValidationSpec(cert_validation_policy=policy, revinfo_gathering_policy=gathering)
    result = asyncio.run(ades_lta_validation(signature, PdfSignatureValidationSpec(spec)))
    return described(result.api_status, str(result.ades_subindic))


def verdict(path, is_long_term):
    with open(path, "rb") as file:
        signature = PdfFileReader(file).embedded_regular_signatures[-1]
        if is_long_term:
            return long_term(signature)
        context = ValidationContext(trust_roots=roots, allow_fetching=False)
        return described(validate_pdf_signature(signature, context), None)


for line in sys.stdin:
    asked = json.loads(line)
    try:
        answer = verdict(asked["path"], asked["longTerm"])
    except Exception as error:  # what it can't read is of many kinds
        answer = {"unreadable": f"{type(error).__name__}: {error}"[:200]}
    print(json.dumps(answer), flush=True)
