"""The simulated Apple's connections: what h2 leaves to its user, and every way to end one."""

import asyncio
import contextlib
import functools
import re
import socket
import struct
import time
import uuid
from collections import deque
from dataclasses import dataclass, field

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import (
    DataReceived, RemoteSettingsChanged, RequestReceived, SettingsAcknowledged, StreamEnded, StreamReset,
    WindowUpdated)
from h2.errors import ErrorCodes
from h2.exceptions import ProtocolError
from h2.settings import SettingCodes, Settings
from hyperframe.frame import GoAwayFrame

from apns_rules import Answer, judge
from apns_scenarios import Scenario

AT_ONCE = 1 << 16  # what long bodies may send before others get a turn


class OwnLimitSettings(Settings):
    """Settings whose stream limit is announced but not enforced by h2.

    h2 would end the connection over one stream too many, even one sent before the client could know the limit. Apple
    refuses the stream; so does Connection.opened.
    """

    @property
    def max_concurrent_streams(self):
        return 2**31 - 1


@dataclass
class Request:
    stream: int
    headers: list
    scenario: Scenario
    place: int
    body: bytearray = field(default_factory=bytearray)


def hang_up(transport):
    """The end of both TLS and TCP. asyncio alone would send the FIN only when the client has ended TLS as well."""
    if not transport.is_closing():
        transport.close()
        with contextlib.suppress(OSError):  # the client was faster
            transport.get_extra_info("socket").shutdown(socket.SHUT_WR)


class Connection(asyncio.Protocol):
    """One HTTP/2 connection. All of them share the event loop's thread, so nothing here needs a lock."""

    def __init__(self, apple):
        self.apple = apple
        self.streams = {}  # stream id: Request, from HEADERS to the last octet of the answer
        self.unsent = {}  # stream id: (octets that flow control has not yet let out, whether they begin anew)
        self.gone = set()  # streams that the client resets further on in what is being handled
        self.late = []  # answers that wait for the scenario
        self.last_stream = 0
        self.closing_after = None  # the last stream id promised in a GOAWAY
        self.silent = False
        self.congested = False
        self.pumping = False  # a turn for the long bodies is due
        self.large = False  # had a body that may still lie in asyncio's buffers

    def connection_made(self, transport):
        self.transport = transport
        self.soon = asyncio.get_running_loop().call_soon
        self.number = self.apple.enter(self)
        if transport.get_extra_info("ssl_object").selected_alpn_protocol() != "h2":
            self.apple.emit("error", connection=self.number, message="the client did not negotiate h2")
            transport.abort()
            return
        options = self.apple.options
        usual = options.first_stream_limit
        self.limit = self.announced = self.acknowledged = self.apple.scenario.first_limit(usual)
        self.rises = self.limit == usual != options.streams  # with the first valid provider token
        self.unacknowledged = deque([self.limit])
        self.h2 = H2Connection(H2Configuration(client_side=False, header_encoding=None))
        # The values observed from Apple in production.
        self.h2.local_settings = OwnLimitSettings(client=False, initial_values={
            SettingCodes.HEADER_TABLE_SIZE: 4096, SettingCodes.MAX_CONCURRENT_STREAMS: self.limit,
            SettingCodes.INITIAL_WINDOW_SIZE: 65535, SettingCodes.MAX_FRAME_SIZE: 16384,
            SettingCodes.MAX_HEADER_LIST_SIZE: 8000})
        self.h2.initiate_connection()
        self.flush()

    def connection_lost(self, error):
        self.streams.clear()
        self.unsent.clear()
        self.late.clear()
        self.apple.leave(self)

    def pause_writing(self):
        self.congested = True

    def resume_writing(self):
        self.congested = False
        self.pump_soon()

    def flush(self):
        octets = self.h2.data_to_send()
        if octets and not self.silent and not self.transport.is_closing():
            self.transport.write(octets)

    def data_received(self, octets):
        try:
            events = self.h2.receive_data(octets)
            self.gone = {event.stream_id for event in events if isinstance(event, StreamReset)}
            for event in events:
                if self.transport.is_closing():
                    return  # what came after the end was never received
                self.handle(event)
        except ProtocolError as error:
            self.apple.emit("error", connection=self.number, message=f"{type(error).__name__}: {error}")
            self.flush()  # the GOAWAY that h2 wrote
            self.transport.close()
            return
        self.gone.clear()
        self.flush()

    def handle(self, event):
        if isinstance(event, RequestReceived):
            self.opened(event.stream_id, event.headers)
        elif isinstance(event, DataReceived):
            self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            request = self.streams.get(event.stream_id)
            if request is not None and len(request.body) < 1 << 20:  # enough to see that it is too large
                request.body.extend(event.data)
        elif isinstance(event, StreamEnded):
            if event.stream_id in self.streams:
                self.asked(self.streams[event.stream_id])
        elif isinstance(event, StreamReset):
            if self.streams.pop(event.stream_id, None) is not None:
                self.apple.emit("cancelled", connection=self.number, stream=event.stream_id)
            self.unsent.pop(event.stream_id, None)
            self.close_if_done()
        elif isinstance(event, (WindowUpdated, RemoteSettingsChanged)):
            self.pump_soon()
        elif isinstance(event, SettingsAcknowledged) and self.unacknowledged:
            self.acknowledged = self.unacknowledged.popleft()
            self.limit = max(self.acknowledged, *self.unacknowledged, 0)

    def announce(self, limit):
        """A new limit of streams. A higher one holds at once, a lower one from the client's acknowledgement on."""
        if limit != self.announced:
            self.announced = limit
            self.unacknowledged.append(limit)
            self.limit = max(self.acknowledged, *self.unacknowledged)
            self.h2.update_settings({SettingCodes.MAX_CONCURRENT_STREAMS: limit})
            self.flush()

    def opened(self, stream, headers):
        if self.closing_after is not None and stream > self.closing_after:
            return  # named in the GOAWAY as not processed: the client sends it again elsewhere
        self.last_stream = stream
        if len(self.streams) >= self.limit:
            self.apple.over_limit += 1
            self.refuse(stream, ErrorCodes.REFUSED_STREAM)
            return
        scenario = self.apple.scenario_for(headers)
        self.streams[stream] = Request(stream, headers, scenario, scenario.place(self, stream))

    def asked(self, request):
        stream = request.stream
        record, answer = judge(request.headers, bytes(request.body), self.apple.provider, time.time())
        if answer is None:
            answer = self.apple.answer_for(record["token"])
        message_id = record["headers"].get("apns-id")
        if not isinstance(message_id, str) or answer.reason == "BadMessageId":
            message_id = str(uuid.uuid4())
        answer = request.scenario.decide(self, request, answer)
        if record["headers"]["authorization"] == "valid" and self.rises:
            self.rises = False
            self.announce(self.apple.options.streams)
        send = functools.partial(self.send, request, answer, message_id)
        if answer.how == "hold":  # before the line is written, so that whoever reads it may release at once
            self.apple.held[record["token"]].append((self, stream, send))
        self.apple.take(self, answer, message_id, stream=stream, **record)
        if answer.how == "close":
            self.transport.abort()
        elif answer.how == "reset":
            self.streams.pop(stream)
            self.refuse(stream, answer.reset_code)
            self.close_if_done()
        elif answer.how == "goaway":
            self.streams.pop(stream)
            self.goaway(max(stream - 2, 0))
        elif answer.how == "late":
            self.late.append(send)
        elif answer.delay_ms:
            asyncio.get_running_loop().call_later(answer.delay_ms / 1000, send)
        elif answer.how == "answer":
            send()
        request.scenario.asked(self, request)

    def send(self, request, answer, message_id):
        stream = request.stream
        if stream not in self.streams or stream in self.gone:
            return  # cancelled, or the connection is gone
        body = answer.octets()
        headers = [(":status", str(answer.status)), ("date", self.apple.date()), ("apns-id", message_id),
                   *answer.headers]
        if body and not any(name == "content-type" for name, _ in headers):
            headers.append(("content-type", "application/json"))
        self.h2.send_headers(stream, headers, end_stream=not body)
        if body:
            self.large |= answer.endless or len(body) > AT_ONCE
            self.unsent[stream] = memoryview(body), answer.endless
            self.pump(stream)
        else:
            self.streams.pop(stream)
        self.flush()
        request.scenario.answered(self, answer)
        self.close_if_done()

    def refuse(self, stream, code):
        if stream not in self.gone:
            self.h2.reset_stream(stream, code)

    def send_late(self):
        while self.late:
            self.late.pop()()

    def pump_all(self):
        """Gives long bodies a turn, those first that did not have one the last time."""
        self.pumping = False
        budget = AT_ONCE
        for stream in list(self.unsent):
            if budget > 0 and stream in self.unsent:
                budget -= self.pump(stream, budget)
        if budget <= 0:
            self.pump_soon()
        self.flush()

    def pump_soon(self):
        if self.unsent and not self.pumping:
            self.pumping = True
            self.soon(self.pump_all)

    def pump(self, stream, budget=AT_ONCE):
        """Hands h2 what the client's window allows, and says how much; a WINDOW_UPDATE has it called again."""
        if stream in self.gone:
            return 0
        rest, endless = self.unsent.pop(stream)
        sent = 0
        while rest:
            size = min(len(rest), self.h2.local_flow_control_window(stream), self.h2.max_outbound_frame_size)
            if size <= 0 or self.congested or sent >= budget:
                self.unsent[stream] = rest, endless
                if size > 0 and not self.congested:
                    self.pump_soon()
                return sent
            self.h2.send_data(stream, bytes(rest[:size]), end_stream=size == len(rest) and not endless)
            sent += size
            if not endless:
                rest = rest[size:]
        self.streams.pop(stream, None)
        self.close_if_done()
        return sent

    def goaway(self, last_stream=None, code=ErrorCodes.NO_ERROR):
        """Announces the end as Apple does before maintenance: requests up to `last_stream` are still answered.

        Written by hand because h2's own close_connection would refuse to send those answers.
        """
        if self.transport.is_closing():
            return
        self.closing_after = self.last_stream if last_stream is None else last_stream
        frame = GoAwayFrame(0)
        frame.last_stream_id = self.closing_after
        frame.error_code = code
        frame.additional_data = b'{"reason":"Shutdown"}'
        self.apple.emit("goaway", connection=self.number, last_stream=self.closing_after, code=int(code))
        self.flush()
        if not self.silent:
            self.transport.write(frame.serialize())
        for stream in [stream for stream in self.streams if stream > self.closing_after]:
            self.streams.pop(stream)
            self.unsent.pop(stream, None)
        self.close_if_done()

    def close_if_done(self):
        if self.closing_after is not None and not self.streams:
            self.hang_up()

    def hang_up(self):
        self.flush()
        if self.large:
            self.transport.close()
        else:
            hang_up(self.transport)

    def reset(self):
        # Lingering for 0 seconds turns the close into a TCP RST.
        raw = self.transport.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.transport.abort()


class OldConnection(asyncio.Protocol):
    """A server that negotiates HTTP/1.1 and answers 200 to anything; a client that believes it delivers nothing."""

    def __init__(self, apple):
        self.apple = apple
        self.received = b""

    def connection_made(self, transport):
        self.transport = transport
        self.number = self.apple.enter(self)

    def connection_lost(self, error):
        self.apple.leave(self)

    def goaway(self):
        self.transport.close()

    def reset(self):
        self.transport.abort()

    def data_received(self, octets):
        self.received += octets
        while b"\r\n\r\n" in self.received:
            head, rest = self.received.split(b"\r\n\r\n", 1)
            request_line = head.split(b"\r\n")[0].decode("latin-1")
            length = re.search(rb"(?im)^content-length:\s*(\d+)", head)
            size = int(length[1]) if length else 0
            if not request_line.endswith(" HTTP/1.1"):  # the preface of HTTP/2, for one
                self.transport.close()
                return
            if len(rest) < size:
                return
            self.received = rest[size:]
            self.apple.take(self, Answer(), str(uuid.uuid4()), taken=False, protocol="http/1.1",
                            request_line=request_line, payload_octets=size)
            self.transport.write(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")
