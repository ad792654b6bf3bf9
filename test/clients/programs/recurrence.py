"""Reads rules as JSON from a file and prints the days that dateutil finds for each."""

import datetime
import json
import sys

from dateutil.rrule import rrulestr

rules, last = sys.argv[1], sys.argv[2]
limit = datetime.datetime.fromisoformat(last)
# dateutil looks for a rule without occurrences until this year.
datetime.MAXYEAR = limit.year

with open(rules) as file:
    for rule in json.load(file):
        days = []
        for day in rrulestr(rule["rrule"], dtstart=datetime.datetime.fromisoformat(rule["start"])):
            if day > limit or len(days) == rule["count"]:
                break
            days.append(day.strftime("%Y-%m-%d"))
        print(json.dumps({"msg": rule["rrule"], "days": days}), flush=True)
