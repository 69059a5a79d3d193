#### a loop with everything in one place
import torch
from apex import amp
model, optimizer = amp.initialize(model, optimizer, opt_level='O1')
for x, y in loader:
    optimizer.zero_grad()
    out = model(x)  # forward
    loss = criterion(out, y)
    with amp.scale_loss(loss, optimizer) as scaled_loss:
        scaled_loss.backward()
    optimizer.step()
#### after
import torch
from apex import amp
scaler = torch.npu.amp.GradScaler()
for x, y in loader:
    optimizer.zero_grad()
    with torch.npu.amp.autocast():
        out = model(x)  # forward
        loss = criterion(out, y)
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
#### findings
3 auto-check
#### in a function, clipped, a fixed scale, zero_grad at the end
import torch
from apex import amp

def train(model, optimizer, loader):
    model, optimizer = amp.initialize(model, optimizer, opt_level="O2", loss_scale=128.0,
                                      keep_batchnorm_fp32=True)
    for batch in loader:
        loss = model(
            batch,
            text="""one
two""",
        )
        with amp.scale_loss(loss, optimizer) as scaled:
            scaled.backward()
        torch.nn.utils.clip_grad_norm_(amp.master_params(optimizer), 1.0)
        optimizer.step()
        optimizer.zero_grad()
#### after
import torch
from apex import amp

def train(model, optimizer, loader):
    scaler = torch.npu.amp.GradScaler(init_scale=128.0, dynamic=False)
    for batch in loader:
        with torch.npu.amp.autocast():
            loss = model(
                batch,
                text="""one
two""",
            )
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
#### the name scaler is taken, the loop is in an attribute
import torch
import apex
class T:
    def fit(self, scaler):
        self.net, self.opt = apex.amp.initialize(self.net, self.opt)
        for x in self.data:
            loss = self.net(x).sum()
            with apex.amp.scale_loss(loss, self.opt) as s:
                s.backward()
            self.opt.step()
#### after
import torch
import apex
class T:
    def fit(self, scaler):
        scaler_2 = torch.npu.amp.GradScaler()
        for x in self.data:
            with torch.npu.amp.autocast():
                loss = self.net(x).sum()
            scaler_2.scale(loss).backward()
            scaler_2.step(self.opt)
            scaler_2.update()
#### only where it is requested, with an option for the level
import torch
parser.add_argument('--fp16_opt_level', type=str, default='O1', help='O0 to O3')
def train(args, model, optimizer, scheduler, loader):
    if args.fp16:
        try:
            from apex import amp
        except ImportError:
            raise ImportError("Please install apex")
        model, optimizer = amp.initialize(model, optimizer, opt_level=args.fp16_opt_level)
    for step, batch in enumerate(loader):
        model.train()
        outputs = model(**batch)
        loss = outputs[0]
        if args.accumulate > 1:
            loss = loss / args.accumulate
        if args.fp16:
            with amp.scale_loss(loss, optimizer) as scaled_loss:
                scaled_loss.backward()
        else:
            loss.backward()
        if (step + 1) % args.accumulate == 0:
            if args.fp16:
                torch.nn.utils.clip_grad_norm_(amp.master_params(optimizer), args.norm)
            else:
                torch.nn.utils.clip_grad_norm_(model.parameters(), args.norm)
            optimizer.step()
            scheduler.step()
            model.zero_grad()
#### after
import torch
parser.add_argument('--fp16_opt_level', type=str, default='O1', help='O0 to O3')
def train(args, model, optimizer, scheduler, loader):
    scaler = torch.npu.amp.GradScaler(enabled=args.fp16)
    for step, batch in enumerate(loader):
        model.train()
        with torch.npu.amp.autocast(enabled=args.fp16):
            outputs = model(**batch)
            loss = outputs[0]
            if args.accumulate > 1:
                loss = loss / args.accumulate
        scaler.scale(loss).backward()
        if (step + 1) % args.accumulate == 0:
            scaler.unscale_(optimizer)
            torch.nn.utils.clip_grad_norm_(model.parameters(), args.norm)
            scaler.step(optimizer)
            scaler.update()
            scheduler.step()
            model.zero_grad()
#### findings
9 auto-check
#### a flag in a variable
import torch
from apex import amp
if fp16:
    net, opt = amp.initialize(net, opt, opt_level="O2", loss_scale="dynamic")
for x in data:
    loss = net(x)
    if fp16:
        with amp.scale_loss(loss, opt) as s:
            s.backward()
    else:
        loss.backward()
    opt.step()
#### after
import torch
from apex import amp
scaler = torch.npu.amp.GradScaler(enabled=fp16)
for x in data:
    with torch.npu.amp.autocast(enabled=fp16):
        loss = net(x)
    scaler.scale(loss).backward()
    scaler.step(opt)
    scaler.update()
